"""What docs/evaluators.md shows is run as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = (Path(__file__).parents[2] / "docs" / "evaluators.md").read_text(encoding="utf-8")
COUNTING, CENTRE, NETWORK = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
PLAY = """
import arena
from arena.search import Search
from arena_centre import Centre

board = arena.Board.from_fen("B:W18,K32:B10,15,K1")
print(Centre().evaluate(board), Centre(centre=0.5).evaluate(board.flipped()))
print(Search(Centre())(arena.Board.start(), 4).move in arena.Board.start().legal_moves)
"""
NEURAL = """
import arena
from arena.plugins import specs

player = specs.parse("player", "minimax:evaluator=[neural:weights=untrained.safetensors]").create()
game = arena.Game()
print(player.choose(game) in game.board.legal_moves)
"""


def run(program: str, folder: Path) -> str:
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_compiled_evaluator(tmp_path: Path) -> None:
    package = tmp_path / "arena_centre"
    package.mkdir()
    (package / "counting.py").write_text(COUNTING, encoding="utf-8")
    (package / "__init__.py").write_text(CENTRE, encoding="utf-8")
    material, centre = 4 - 3, 2 - 1
    values = f"{material + 0.25 * centre} {material + 0.5 * centre}"
    assert run(PLAY, tmp_path).split("\n")[:2] == [values, "True"]


def test_the_network(tmp_path: Path) -> None:
    run(NETWORK, tmp_path)
    assert run(NEURAL, tmp_path) == "True\n"
