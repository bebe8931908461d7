"""``arena replay``."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from arena.store import PlayerIdentity, Store

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
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


def test_a_game_that_is_not_there(run: Run) -> None:
    assert "there is no database" in run("replay", "5").stderr
    with Store.open("results/arena.sqlite") as store:
        seats = [PlayerIdentity(name, name, "test", "1") for name in ("m1", "random")]
        store.create_tournament("mine", 1, {}, seats)
    done = run("replay", "5")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "holds no game 5" in done.stderr
