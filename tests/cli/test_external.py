"""Commands of plugins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

GREETER = """
import typer
app = typer.Typer(help="Greets.")
@app.command()
def hello(name: str) -> None:
    print(f"hello {name}")
@app.command()
def bye() -> None:
    print("bye")
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    info = tmp_path / "arena_greeter-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-greeter\nVersion: 1.0\n")
    entries = (
        "greet = arena_greeter:app\nbroken = arena_broken:app\nodd = arena_greeter:hello\nplay = arena_greeter:app\n"
    )
    (info / "entry_points.txt").write_text(f"[arena.commands]\n{entries}")
    (tmp_path / "arena_greeter.py").write_text(GREETER)
    (tmp_path / "arena_broken.py").write_text("raise RuntimeError('no\\nway')")
    return tmp_path


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "arena.cli", *words]
    return subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True, text=True, check=False
    )


def test_a_command_of_a_plugin_runs_like_any_other(site: Path) -> None:
    assert run(site, "greet", "hello", "you").stdout == "hello you\n"
    assert "Greets." in run(site, "greet", "--help").stdout
    listing = run(site, "--help").stdout
    assert "greet" in listing
    assert "arena-greeter 1.0" in listing


def test_a_broken_command_does_not_affect_others(site: Path) -> None:
    assert run(site, "perft", "start", "1").stdout == "7\n"
    for name, complaint in (("broken", "cannot be loaded"), ("odd", "is not a typer.Typer")):
        done = run(site, name, "hello")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("arena: arena-greeter 1.0")
        assert complaint in done.stderr
        assert done.stderr.count("\n") == 1


def test_commands_are_listed_among_plugins(site: Path) -> None:
    done = run(site, "plugins", "--json")
    listed = {row["name"]: row for row in json.loads(done.stdout) if row["kind"] == "command"}
    assert {"claims", "greet", "broken", "odd", "play"} == listed.keys()
    assert (listed["greet"]["origin"], listed["greet"]["module"]) == ("arena-greeter 1.0", "arena_greeter:app")
    assert "arena-greeter 1.0: its command 'play' cannot be called: arena has a command with that name" in done.stderr
    assert "'greet'" not in done.stderr


def test_a_plugin_cannot_replace_a_built_in_command(site: Path) -> None:
    assert "against" in run(site, "play", "--help").stdout


def test_an_unknown_command_is_a_one_line_error(site: Path) -> None:
    done = run(site, "gret")
    assert done.returncode == 2
    assert "gret" in done.stderr
    assert done.stderr.count("\n") == 1
