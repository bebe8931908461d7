"""Copying databases: everything, in both directions, into an empty database only, completely or not at all."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from arena.contracts.model import Model
from arena.errors import StoreError
from arena.store import Store, copying
from arena.store.people import SavedGame
from arena.store.runs import LearnerIdentity
from databases import all_rows, new_database, rows
from inventing import IDLE, PLAYERS, make_games, make_record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from databases import Db

pytestmark = pytest.mark.postgres

LMS = LearnerIdentity("lms", "checkers-arena", "0.1.0")


def fill(db: Db) -> None:
    """Record a tournament, a training run, an imported model and a saved game, with unusual values."""
    with Store.open(db) as store:
        tournament = store.create_tournament("käfig 'ß'", 2**63 - 1, {"b": [1, None, 0.1], "a": "ä\n"}, PLAYERS, 60)
        store.schedule(tournament.id, {"lms vs random"}, 20)
        with store.recorder(tournament.id) as recorder:
            for game in make_games(3, 30):
                recorder.add(game)
            recorder.add(make_record(random.Random(1), 99, reason="Ошибка: \x01\ttab \\ \\N", forfeited_by="white"))
        run = store.runs.create("r", LMS, 1, 10, {"every": 5})
        model = Model("lms", {"w": np.array([1.5])})
        metrics = store.runs.recorder(run.id)
        metrics.measured(5, {"tiny": 5e-324, "huge": 1.7e308, "third": 1 / 3})
        metrics.checkpoint(5, model, {"command": "x"}, "lms", {"w": np.arange(3)}, 0.1)
        store.add_model(Model("lms", {"w": np.array([2.5])}), {"command": "by hand"})
        for number in (1, 2, 3):
            store.people.save(SavedGame(number, "human", "lms", 4, "B:W21:B1", {"moves": ["9-13"], "n": number}))
        store.people.forget(3)


@pytest.fixture(params=["sqlite", "postgresql"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Db]:
    """A filled database, of each kind."""
    with new_database(request, tmp_path / "source", request.param) as db:
        fill(db)
        yield db


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path, source: Db) -> Iterator[Db]:
    """A database of the kind that the source is not."""
    with new_database(request, tmp_path / "target", "sqlite" if isinstance(source, str) else "postgresql") as db:
        yield db


def copy(source: Db, target: Db) -> copying.Copied:
    with Store.open(target) as store:
        return store.copy(source, lambda *_: None)


def test_a_copy_has_all_rows_with_their_ids(source: Db, target: Db, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    with Store.open(target) as store:
        copied = store.copy(source, lambda *numbers: seen.append(numbers))
    number = sum(len(each) for each in all_rows(source).values())
    assert all_rows(target) == all_rows(source)
    assert copied.rows == number == seen[-1][0] == seen[-1][1]
    back = tmp_path / "back.sqlite"
    assert copy(target, back) == copied
    assert all_rows(back) == all_rows(source)


def test_ids_go_on_after_those_of_the_source(source: Db, target: Db) -> None:
    copy(source, target)
    for db in (source, target):
        with Store.open(db) as store:
            store.create_tournament("next", 1, {}, PLAYERS)
            store.people.save(SavedGame(9, "human", "lms", 0, "B:W21:B1", {}))
    assert rows(target, "SELECT max(id) FROM tournaments") == [(2,)]
    assert rows(target, "SELECT max(number) FROM saved_games") == [(4,)]  # the game 3 was deleted
    assert rows(source, "SELECT max(number) FROM saved_games") == [(4,)]


def test_a_database_with_rows_is_no_target(source: Db, target: Db) -> None:
    with Store.open(target) as store:
        store.add_model(Model("lms", {"w": np.array([2.5])}), {"command": "by hand"})
    before = all_rows(target)
    with pytest.raises(StoreError, match="is not empty, its table models has 1 rows: name a new database, or add"):
        copy(source, target)
    assert all_rows(target) == before


def test_a_database_is_not_copied_to_itself(source: Db) -> None:
    with pytest.raises(StoreError, match="is the same database as"):
        copy(source, source)


def test_a_stopped_copy_leaves_the_target_empty_and_can_be_repeated(source: Db, target: Db) -> None:
    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with Store.open(target) as store, pytest.raises(KeyboardInterrupt):
        store.copy(source, stop)
    assert not any(all_rows(target).values())
    copy(source, target)
    assert all_rows(target) == all_rows(source)


def test_a_copy_that_differs_is_undone(source: Db, target: Db, monkeypatch: pytest.MonkeyPatch) -> None:
    class Careless(copying.BulkInsert):
        def __call__(self, found: Any) -> None:
            super().__call__([{**row, "opening": "other"} if "opening" in row else row for row in found])

    monkeypatch.setattr(copying, "BulkInsert", Careless)
    with pytest.raises(StoreError, match=r"the table games was not copied correctly to .*: it has 91 rows"):
        copy(source, target)
    assert not any(all_rows(target).values())


def test_games_recorded_during_the_copy_are_left_out(source: Db, target: Db) -> None:
    """The copy shows one moment: rows that refer to each other are all there."""
    with Store.open(source) as writer, Store.open(target) as store:
        before = all_rows(source)
        written: list[int] = []

        def record(done: int, _: int) -> None:
            if not written:
                written.append(done)
                writer.create_tournament("during", 1, {}, (*PLAYERS, IDLE))

        copied = store.copy(source, record)
    assert copied.rows == sum(map(len, before.values()))
    assert all_rows(target) == before


def test_text_that_postgresql_cannot_hold_is_one_line(tmp_path: Path, postgres: Any) -> None:
    db = tmp_path / "nul.sqlite"
    fill(db)
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("UPDATE games SET reason = 'a' || char(0) || 'b' WHERE round = 99")
        connection.commit()
    with postgres.empty_database() as target, pytest.raises(StoreError, match="cannot hold a value"):
        copy(db, target)
