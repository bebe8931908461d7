"""The smaller commands."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

import psutil
import pytest

import arena
from arena import cli
from arena.plugins.registry import KINDS
from arena.workers import system

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['arena', '--help']\n"
        "from arena.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sorted({'numpy', 'numba', 'pandas', 'sqlalchemy', 'pluggy'} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "tournament" in done.stdout
    assert done.stderr.strip() == ""


def children() -> set[int]:
    """The processes that this one has started and that run."""
    return {each.pid for each in psutil.Process().children()}


@pytest.mark.parametrize(
    ("line", "plays"),
    [
        ("tournament --players lms,td", True),
        ("compare lms td", True),
        ("tournament -h", False),
        ("compare --help", False),
        ("results", False),
    ],
)
def test_commands_that_play_begin_at_once_what_workers_come_from(
    line: str, plays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "COMMAND", "import time; time.sleep(600) or {}")
    before = children()
    with cli._launcher_for(line.split()) as launcher:
        assert (launcher is not None) == plays
        assert (children() != before) == (plays and system.FORKS)
    assert children() == before


def test_the_version_is_that_of_the_distribution(run: Run) -> None:
    assert run("--version").stdout == f"checkers-arena {version('checkers-arena')}\n"


def test_every_command_has_help(run: Run) -> None:
    listed = [line.split()[0] for line in run("--help").stdout.split("Commands:")[1].splitlines() if line.strip()]
    commands = [word for word in listed if word.isalpha()]
    assert {"tournament", "results", "train", "play", "players", "evaluators", "learners", "plugins", "perft"} <= set(
        commands
    )
    for command in commands:
        assert run(command, "--help").stdout.startswith("Usage")


def test_perft(run: Run) -> None:
    assert run("perft", "start", "7").stdout == "179740\n"
    circle = "B:W15,16,K23,24,K26:BK27"
    assert run("perft", circle, "3").stdout == "24\n"
    assert run("perft", circle, "3", "--unique").stdout == "12\n"


@pytest.mark.parametrize(
    ("command", "name", "option"),
    [
        ("players", "minimax", "depth: int 1..64 = 4"),
        ("evaluators", "heuristic", "kings: float = 7"),
        ("learners", "lms", "rate: float >=0 = 0.1"),
    ],
)
def test_listings_tell_names_origin_options_and_purpose(run: Run, command: str, name: str, option: str) -> None:
    [row] = [row for row in json.loads(run(command, "--json").stdout) if row["name"] == name]
    assert row["origin"].startswith("checkers-arena ")
    assert option in row["options"].split("; ")
    assert row["description"]
    table = run(command).stdout
    assert row["description"] in table
    assert option.split(":", maxsplit=1)[0] in table


def test_plugins_lists_all_kinds(run: Run) -> None:
    rows = json.loads(run("plugins", "--json").stdout)
    assert {row["kind"] for row in rows} == {*KINDS, "command"}
    assert {"3move", "davidson"} <= {row["name"] for row in rows}


def test_trained_weights_play(run: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run("train", "lms", "--games", "20", "--seed", "4", "-o", name).returncode == 0
    one, two = arena.Model.file(tmp_path / "one"), arena.Model.file(tmp_path / "two")
    assert one.hash == two.hash
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert one.provenance["command"] == "arena train lms --games 20 --seed 4"
    done = run("tournament", "--players", "lms:weights=one,random", "--games", "20", "--seed", "1")
    assert done.returncode == 0, done.stderr
    with arena.Results(tmp_path / "results" / "arena.sqlite") as results:
        standings = results.standings("last").set_index("player")
    assert standings.wins["lms:weights=one"] >= 16


def test_a_person_plays_to_the_end(run: Run) -> None:
    won = run("play", "--against", "random", "--seed", "1", "--fen", "B:W9:B1,K6", stdin="?\n9-14\n6x13\n")
    assert won.returncode == 0, won.stderr
    assert "is not legal" in won.stdout
    assert "1-0: you won (no moves)" in won.stdout


def test_a_person_who_leaves(run: Run) -> None:
    done = run("play", "--against", "random", stdin="11-15\n")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("arena: standard input has ended")
    assert "white (random) plays" in done.stdout


def test_without_a_command_there_is_help(run: Run) -> None:
    assert run().stdout == run("--help").stdout
