"""The example that trains a policy with a stock library."""

import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena.plugins import specs

pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed: pip install sb3-contrib")
SCRIPT = Path(__file__).parents[2] / "examples/rl/train_ppo.py"


def test_the_trained_policy_plays(tmp_path):
    path = tmp_path / "policy.safetensors"
    command = [sys.executable, SCRIPT, "--steps", "2048", "--output", path]
    subprocess.run(command, check=True, capture_output=True)
    spec = specs.parse("player", f"policy:file={path}")
    game = arena.Game()
    assert spec.create().choose(game) in game.board.legal_moves
    assert arena.Model.file(path).provenance["algorithm"] == "MaskablePPO"
