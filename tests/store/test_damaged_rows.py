"""Damaged values in the database. Reading them raises StoreError with a one-line message."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arena.cli import app
from arena.contracts.record import NO_PLY_INFO
from arena.errors import StoreError
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.store import Results, Store
from arena.tournament.plan import stored_plan
from arena.training.sources import RecordedGames

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity

OVERLAP = bytes(3) + b"\1" + bytes(3) + b"\1" + bytes(4)
KING_ALONE = bytes(8) + b"\1" + bytes(3)


@pytest.fixture
def db(path: Path, identities: tuple[PlayerIdentity, ...], record: Callable[..., GameRecord]) -> Path:
    """A database with a tournament of one game without moves."""
    with Store.open(path) as store:
        tournament = store.create_tournament("cup", 1, {"games": 2}, identities)
        with store.recorder(tournament.id) as recorder:
            start = bytes([255, 15, 0, 0, 0, 0, 240, 255]) + bytes(4)
            plain = {"seed": 7, "result": "1-0", "forfeited_by": None, "reason": None, "first": "black"}
            recorder.add(record(1, boards=start, movetext="", ply_info=NO_PLY_INFO, **plain))
    return path


def damage(path: Path, column: str, value: object, table: str = "games") -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
        connection.commit()


def complaint(read: Callable[[], object]) -> str:
    with pytest.raises(StoreError) as caught:
        read()
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("boards", [OVERLAP, KING_ALONE, b"", b"\1", bytes(24), "text", 5])
def test_invalid_boards(db: Path, boards: object) -> None:
    damage(db, "boards", boards)
    with Results(db) as results:
        assert "did not write" in complaint(results.positions)
    if boards != bytes(24):  # two valid boards; only their number is wrong
        assert "did not write" in complaint(lambda: list(RecordedGames(["cup"], db).episodes(None, 0, 1)))  # type: ignore[arg-type]


@pytest.mark.parametrize("plies", [10**15, -1, "many"])
def test_number_of_plies_that_contradicts_the_boards(db: Path, plies: object) -> None:
    damage(db, "plies", plies)
    with Results(db) as results:
        complaint(results.positions)


@pytest.mark.parametrize("words", [("replay", "7"), ("export", "-o", "-")])
@pytest.mark.parametrize("boards", [OVERLAP, b"\1"])
def test_game_with_an_invalid_first_board(db: Path, words: tuple[str, ...], boards: bytes) -> None:
    damage(db, "boards", boards)
    complaint(lambda: app.run([*words, "--db", str(db)]))


@pytest.mark.parametrize("value", ["not JSON", "", b"\xff\xfe", "[" * 5000, "9" * 5000])
def test_settings_that_are_not_json(db: Path, value: object) -> None:
    damage(db, "settings", value, "tournaments")
    with Results(db) as results:
        complaint(results.tournament)
    complaint(lambda: app.run(["results", "--db", str(db)]))
    complaint(lambda: app.run(["tournament", "--resume", "cup", "--db", str(db)]))


@pytest.mark.parametrize("value", ["null", "[]", "3", "{}", '{"games": "many", "openings": 3, "rules": []}'])
def test_settings_without_the_fields_of_a_tournament(db: Path, value: str) -> None:
    damage(db, "settings", value, "tournaments")
    complaint(lambda: app.run(["results", "--spec", "--db", str(db)]))
    with Store.existing(db) as store:
        complaint(lambda: stored_plan(store.tournament("cup")))


@pytest.mark.parametrize(("column", "value"), [("started", "soon"), ("settings", "x"), ("games", "many")])
def test_run_with_an_invalid_value(db: Path, column: str, value: str) -> None:
    from arena.store.runs import LearnerIdentity

    with Store.existing(db) as store:
        store.runs.create("lms", LearnerIdentity("lms", "checkers-arena", "0.1.0"), 1, 10, {})
    damage(db, column, value, "runs")
    complaint(lambda: app.run(["train", "--resume", "lms", "--db", str(db)]))


def test_invalid_model(db: Path) -> None:
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("INSERT INTO models VALUES (?, 'lms', ?, 'null', 0)", ("a" * 32, b"nothing"))
        connection.commit()
    complaint(lambda: specs.parse("player", "lms:weights=@aaaaaa", resolver=ModelResolver(db)))
