"""``arena db``: info, check, copy, merge and prune."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

import arena
from arena.checkers.pdn import PDNGame, read
from arena.cli.app import run
from arena.contracts.model import Model
from arena.errors import StoreError
from arena.store import Store
from databases import all_rows
from experimenting import experiment, tiny

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Said = Callable[..., str]

__all__ = ["experiment", "tiny"]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """``said(*words)`` runs ``arena db`` with the words and returns what it prints."""

    def command(*words: str) -> str:
        capsys.readouterr()
        assert run(["db", *words]) == 0
        return capsys.readouterr().out

    return command


@pytest.fixture
def copy(experiment: Path, tmp_path: Path) -> Path:
    """A copy of the experiment's database, with its games also as a collection."""
    path, file = tmp_path / "copy.sqlite", tmp_path / "games.pdn"
    with arena.Results(experiment) as results:
        file.write_text("\n".join(results.pdn("x")))
    shutil.copy(experiment, path)
    with Store.open(path) as store, store.collector("people") as collector:
        for game in read(file):
            assert isinstance(game, PDNGame)
            collector.add(game)
    return path


def changed(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_info_counts_rows_and_bytes(copy: Path, said: Said) -> None:
    rows = {row["table"]: row for row in json.loads(said("info", "--json", "--db", str(copy)))}
    with closing(sqlite3.connect(copy)) as connection:
        for table, row in rows.items():
            assert connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0] == row["rows"]
    used = sum(row["bytes"] for row in rows.values())
    assert 0.8 * copy.stat().st_size < used <= copy.stat().st_size
    text = said("info", "--db", str(copy))
    assert f"{rows['games']['rows']} games, 1 tournaments, 1 experiments, 4 training runs" in text
    assert max(map(len, text.splitlines()[1:])) <= 120


def test_a_sound_database(copy: Path, said: Said) -> None:
    with arena.Results(copy) as results:
        games = 2 * len(results.games("x"))
    assert said("check", "--db", str(copy)) == f"{copy} is sound: {games} games checked\n"


LAST_BOARD_LEFT_OUT = "boards = CAST(substr(boards, 1, 12) || substr(boards, 1, length(boards) - 12) AS BLOB)"
FIRST = "WHERE rowid = (SELECT MIN(rowid) FROM {} WHERE {})"


@pytest.mark.parametrize(
    ("table", "which", "change", "message"),
    [
        ("games", "1", "moves = replace(moves, substr(moves, 1, 5), '32-28')", "an illegal move"),
        (
            "games",
            "1",
            "boards = CAST(substr(boards, 1, 12) || substr(boards, 1, length(boards) - 12) AS BLOB)",
            "board after ply 1",
        ),
        ("games", "1", "moves = moves || ' 1-5'", "the moves and boards do not fit"),
        ("games", "termination = 'no moves'", "result = '1/2-1/2'", "but the rules end it with"),
        ("games", "termination = 'no moves'", "termination = 'repetition'", "but the rules end it with"),
        ("games", "termination = 'no moves'", "termination = 'timeout'", "the side that forfeited is missing"),
        ("games", "result = '1-0'", "termination = 'timeout', forfeited_by = 'black'", "but black forfeited"),
        ("collected_games", "1", "moves = replace(moves, substr(moves, 1, 5), '32-28')", "of people: an illegal move"),
        ("models", "1", "hash = '00'", "the model @00 has weights with the hash"),
        ("models", "1", "data = substr(data, 1, 40)", "cannot be read"),
        ("games", "1", "black_id = 99", "refers to a missing row of tournament_players"),
    ],
)
def test_damage_is_named(
    copy: Path, capsys: pytest.CaptureFixture[str], table: str, which: str, change: str, message: str
) -> None:
    changed(copy, f"UPDATE {table} SET {change} {FIRST.format(table, which)}")
    with pytest.raises(StoreError, match=r"has \d+ problem"):
        run(["db", "check", "--db", str(copy)])
    lines = capsys.readouterr().out.splitlines()
    assert any(message in line for line in lines), lines


def test_merge_tells_what_it_did(experiment: Path, copy: Path, tmp_path: Path, said: Said) -> None:
    new = tmp_path / "new.sqlite"
    with arena.Results(copy) as results:
        games = len(results.games("x"))
        frames = [results.learning_curve("x"), results.ladder("x"), results.games("x"), results.metrics("all")]
    text = said("merge", str(experiment), "--db", str(new))
    assert text.startswith(f"added to {new}: {games} games, 1 tournaments, 1 experiments, 4 training runs")
    assert f"{games} imported games" in said("merge", str(copy), "--db", str(new))
    assert said("merge", str(copy), "--db", str(new)) == f"added to {new}: nothing\n"
    with arena.Results(new) as results:
        copies = [results.learning_curve("x"), results.ladder("x"), results.games("x"), results.metrics("all")]
    assert all(one.equals(other) for one, other in zip(frames, copies, strict=True))
    changed(new, "UPDATE tournaments SET seed = seed + 1")
    text = said("merge", str(copy), "--db", str(new))
    assert "tournament 'x' of" in text
    assert "is called 'x-2' here" in text
    assert "run 'x.tiny.1'" in text
    with arena.Results(new) as results:
        assert results.experiments()["experiment"].tolist() == ["x", "x-2"]
        assert results.learning_curve("x-2").drop(columns="experiment").equals(frames[0].drop(columns="experiment"))
    assert said("merge", str(copy), "--db", str(new)) == f"added to {new}: nothing\n"


def test_halves_of_an_experiment_give_the_whole(experiment: Path, tmp_path: Path, said: Said) -> None:
    halves = [tmp_path / "one.sqlite", tmp_path / "two.sqlite"]
    for number, half in enumerate(halves):
        shutil.copy(experiment, half)
        changed(half, "DELETE FROM games WHERE rowid % 2 = ?", number)
        changed(half, "DELETE FROM ratings")
    said("merge", str(halves[1]), "--db", str(halves[0]))
    with arena.Results(experiment) as whole, arena.Results(halves[0]) as union:
        assert union.standings("x").equals(whole.standings("x"))
        assert union.games("x").equals(whole.games("x"))
        assert union.aggregate("x").equals(whole.aggregate("x"))


def test_prune_lists_first_and_deletes_only_what_nothing_refers_to(copy: Path, said: Said) -> None:
    assert said("prune", "--db", str(copy)) == f"{copy} has nothing that can be deleted\n"
    unused, named = Model("tiny", {"number": np.arange(10_000.0)}), Model("tiny", {"number": np.array([7.5])})
    with Store.open(copy) as store:
        store.add_model(unused, {})
        store.add_model(named, {})
        store.collector("empty")
    run(["tournament", "--players", f"@{named.hash[:8]},random", "--games", "2", "-q", "--db", str(copy)])
    changed(copy, "INSERT INTO players (spec, name, distribution, version) VALUES ('gone', 'gone', 'x', '1')")
    with closing(sqlite3.connect(copy)) as connection:
        before = list(connection.iterdump())
    text = said("prune", "--db", str(copy))
    with closing(sqlite3.connect(copy)) as connection:
        assert list(connection.iterdump()) == before
    kinds = [line.split()[:2] for line in text.splitlines() if line.startswith(("collection", "model", "player"))]
    assert kinds == [["collection", "empty"], ["model", unused.hash], ["player", "gone"]]
    size = copy.stat().st_size
    assert said("prune", "--yes", "--db", str(copy)).endswith(f"deleted from {copy}: 3\n")
    assert copy.stat().st_size < size - 50_000
    with closing(sqlite3.connect(copy)) as connection:
        after = list(connection.iterdump())
    gone = [line for line in before if line not in after]
    assert len(gone) == 3
    assert all(any(name in line for line in gone) for name in ("empty", unused.hash, "gone"))
    assert "is sound" in said("check", "--db", str(copy))


@pytest.mark.parametrize("words", [("info",), ("check",), ("prune",), ("prune", "--yes")])
def test_a_missing_database_is_a_one_line_error(tmp_path: Path, words: tuple[str, ...]) -> None:
    path = tmp_path / "none.sqlite"
    with pytest.raises(StoreError, match="there is no database"):
        run(["db", *words, "--db", str(path)])
    assert not path.exists()


def test_copy_makes_an_equal_database_and_refuses_one_with_rows(copy: Path, said: Said, tmp_path: Path) -> None:
    target = tmp_path / "target.sqlite"
    line = said("copy", str(copy), str(target))
    assert line.startswith(f"copied {copy} to {target}: ")
    assert said("info", "--db", str(target), "--csv").splitlines()[0] == "table,rows,bytes"
    assert all_rows(target) == all_rows(copy)
    with pytest.raises(StoreError, match="is not empty"):
        run(["db", "copy", str(copy), str(target)])
