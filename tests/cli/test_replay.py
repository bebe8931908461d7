"""``arena replay``."""

from __future__ import annotations

import importlib
import os
import sqlite3
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from arena.plugins import registry
from arena.store import PlayerIdentity, Store

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_game_is_shown_and_verified(run: Run, tmp_path: Path) -> None:
    assert run("tournament", "--players", "random,m1", "--games", "2", "--seed", "1").returncode == 0
    database = tmp_path / "results" / "arena.sqlite"
    with sqlite3.connect(database) as connection:
        (game, plies, moves), *_ = connection.execute("select id, plies, moves from games order by round").fetchall()
    connection.close()
    shown = run("replay", str(game)).stdout
    assert f"after {plies} plies: no moves" in shown
    assert shown.count("29 30 31 32") == plies + 1
    brief = run("replay", str(game), "--no-boards").stdout.splitlines()
    assert [line.split()[2] for line in brief[1:-1]] == moves.split()
    same = run("replay", str(game), "--verify")
    assert same.returncode == 0, same.stderr
    assert f"the same, move by move: {plies} plies" in same.stdout
    with sqlite3.connect(database) as connection:
        connection.execute("update games set moves = '1-2 ' || moves where id = ?", (game,))
    connection.close()
    other = run("replay", str(game), "--verify")
    assert other.returncode == 1
    assert "differs at ply 1: 1-2 on record" in other.stderr


def test_a_missing_game_is_a_one_line_error(run: Run) -> None:
    assert "there is no database" in run("replay", "5").stderr
    with Store.open("results/arena.sqlite") as store:
        seats = [PlayerIdentity(name, name, "test", "1") for name in ("m1", "random")]
        store.create_tournament("mine", 1, {}, seats)
    done = run("replay", "5")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "holds no game 5" in done.stderr


PLUGIN = """
import arena

class Talking(arena.Player):
    def __init__(self, fault: str = "none"):
        self.fault = fault
        self.turn = 0

    def choose(self, game):
        self.turn += 1
        print(f"turn {self.turn} of {self.fault}")
        if self.turn == 3:
            number_of_sheep = 7
            if self.fault == "raises":
                raise ValueError("too many sheep")
            if self.fault == "illegal":
                return arena.Move((32, 28))
        return game.board.legal_moves[0]

@arena.hookimpl
def register_players():
    return {"talking": Talking}
"""


@pytest.fixture
def talking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Installs a player that prints, and that an option lets fail in its third turn, for all processes of the test."""
    info = tmp_path / "site" / "arena_talking-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-talking\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[arena]\ntalking = arena_talking\n")
    (info.parent / "arena_talking.py").write_text(dedent(PLUGIN))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(info.parent), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(info.parent)
    importlib.invalidate_caches()
    registry.load.cache_clear()
    yield
    registry.load.cache_clear()
    sys.modules.pop("arena_talking", None)


@pytest.mark.usefixtures("talking")
def test_debug_shows_prints_faults_and_a_debugger(run: Run) -> None:
    words = ("--games", "2", "--seed", "1", "--workers", "1")
    assert run("tournament", "--players", "talking:fault=raises,random", *words).returncode == 0
    assert run("tournament", "--players", "talking:fault=illegal,random", *words).returncode == 0

    raised = run("replay", "t1/2", "--debug")
    assert raised.returncode == 0, raised.stderr
    lines = raised.stdout.splitlines()
    assert [line for line in lines if line.startswith("turn")] == [f"turn {turn} of raises" for turn in (1, 2, 3)]
    assert " plies: exception, forfeited by " in lines[-2]
    assert lines[-1] == "the game is the same as on record"
    assert raised.stderr.startswith("Traceback (most recent call last):")
    assert 'raise ValueError("too many sheep")' in raised.stderr
    played = [line.split()[2] for line in lines if line.split()[1:2] in (["black"], ["white"])]
    assert played == moves(run, "t1/2")[3:]

    stopped = run("replay", "t1/2", "--pdb", stdin="p number_of_sheep\nq\n")
    assert stopped.returncode == 0, stopped.stderr
    assert "(Pdb) 7\n" in stopped.stdout

    illegal = run("replay", "t2/1", "--debug", "--pdb", stdin="p choice, game.side\nq\n")
    assert illegal.returncode == 0, illegal.stderr
    assert "choose returned Move(32-28); legal moves: " in illegal.stderr
    assert "(Pdb) (Move(32-28), <Side." in illegal.stdout
    assert "illegal move, forfeited by" in illegal.stdout


def moves(run: Run, game: str) -> list[str]:
    """The moves of a recorded game."""
    lines = run("replay", game, "--no-boards").stdout.splitlines()[1:]
    return [line.split()[2] for line in lines if line.split()[1:2] in (["black"], ["white"])]


def test_debug_excludes_verify_and_boards(run: Run) -> None:
    for words, line in (
        (("--verify", "--debug"), "choose one of --verify and --debug"),
        (("--verify", "--pdb"), "choose one of --verify and --pdb"),
        (("--debug", "--boards"), "--debug draws no boards: leave out --boards"),
    ):
        done = run("replay", "last", *words)
        assert (done.returncode, done.stderr) == (2, f"arena: {line}\n")
