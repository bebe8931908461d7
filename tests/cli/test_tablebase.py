"""``arena tablebase``, and tournaments that tables adjudicate."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import arena
from arena.search.tablebase import Tablebase, files

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    """The tables of the user's cache, built before a command is run."""
    Tablebase.open()


def test_build_builds_missing_tables_and_prints_their_folder(run: Run) -> None:
    done = run("tablebase", "build")
    assert done.returncode == 0
    assert str(files.default_folder()) in done.stdout
    assert done.stderr == ""


def test_info_counts_positions(run: Run) -> None:
    rows = json.loads(run("tablebase", "info", "--json").stdout)
    assert [row["pieces"] for row in rows][:3] == [2, 3, 4]
    four = {name: rows[2][name] for name in ("positions", "wins", "draws", "losses", "longest_win", "longest_loss")}
    assert list(four.values()) == [6_209_316, 2_574_304, 1_717_922, 1_917_090, 109, 108]
    slices = run("tablebase", "info", "--slices", "--csv").stdout.splitlines()
    assert slices[0] == (
        "pieces,own_men,own_kings,opp_men,opp_kings,positions,wins,draws,losses,longest_win,longest_loss"
    )
    assert "4,2,0,2,0,125664,26945,95631,3088,109,108" in slices


def test_probe_prints_the_value_and_that_of_each_move(run: Run) -> None:
    fen = "B:WK12:B10,K27"
    lines = [" ".join(line.split()) for line in run("tablebase", "probe", fen).stdout.splitlines()]
    assert lines[0] == "black to move: win in 11 plies"
    assert "27-31 win in 45 plies" in lines
    found = json.loads(run("tablebase", "probe", fen, "--json").stdout)
    assert (found["fen"], found["outcome"], found["plies"]) == (fen, "win", 11)
    assert [move["plies"] for move in found["moves"]] == [11, 11, 11, 23, 45, 45]
    lost = run("tablebase", "probe", "W:W5:B1")
    assert lost.stdout == "white to move: loss, no move left\n"


@pytest.mark.parametrize(
    ("fen", "complaint"),
    [
        ("B:W21:B32", "a man stands on its king row"),
        ("B:W:B1", "a side has no piece"),
        ("B:W21,22,23:B1,2,3,4", "2 to 6 pieces"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_position_without_a_value_is_a_one_line_error(run: Run, fen: str, complaint: str) -> None:
    done = run("tablebase", "probe", fen)
    assert done.returncode != 0
    assert done.stdout == ""
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_tables_adjudicate_a_tournament_only_with_the_option(run: Run, tmp_path: Path) -> None:
    words = ("tournament", "--players", "minimax:depth=1,minimax:depth=2", "--games", "10", "--seed", "2")
    assert run(*words, "--name", "tables", "--adjudicate", "tables").returncode == 0
    assert run(*words, "--name", "rules").returncode == 0
    with arena.Results(tmp_path / "results" / "arena.sqlite") as results:
        adjudicated, played = results.games("tables"), results.games("rules")
        final = results.positions("tables").groupby("game").tail(1)
    assert "tables" in set(adjudicated.termination)
    assert "tables" not in set(played.termination)
    pieces = final.set_index("game")[["black_men", "black_kings", "white_men", "white_kings"]].sum(axis=1)
    by_tables = adjudicated.set_index("game").termination == "tables"
    assert (pieces[by_tables] <= 4).all()
    assert (adjudicated.plies <= played.plies).all()
    assert [a == b[: len(a)] for a, b in zip(adjudicated.moves, played.moves, strict=True)] == [True] * 10
