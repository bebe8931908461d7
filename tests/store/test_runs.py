"""Recording and finding training runs, checkpoints and models."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arena.contracts.model import Model
from arena.errors import StoreError
from arena.store import PlayerIdentity, Results, Store, models
from arena.store.names import Naming, numbered
from arena.store.runs import LearnerIdentity, packed, unpacked
from databases import opened, read_frame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.store.runs import RunRecorder, StoredRun
    from databases import Db

LMS = LearnerIdentity("lms:rate=0.05", "checkers-arena", "0.1.0", "0123456789abcdef0123456789abcdef")
PROVENANCE = {"command": "arena train lms"}


@pytest.fixture
def store(db: Db) -> Iterator[Store]:
    with Store.open(db) as store:
        yield store


def new_run(store: Store, name: str | Naming = "lms", games: int = 100) -> StoredRun:
    return store.runs.create(name, LMS, 7, games, {"every": 50})


def model(number: float) -> Model:
    return Model("lms", {"w": np.array([number])})


def state(number: int) -> dict[str, np.ndarray[Any, Any]]:
    return {"games": np.array(number), "w": np.arange(3.0)}


def checkpoint(recorder: RunRecorder, games: int, number: float | None = None) -> None:
    weights = model(games if number is None else number)
    recorder.checkpoint(games, weights, PROVENANCE, "lms:depth=2", state(games), games / 10)


def count(db: Db, table: str) -> int:
    with opened(db) as connection:
        rows: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return rows


def test_run_is_read_as_recorded(store: Store) -> None:
    run = new_run(store)
    assert store.runs.get("lms") == store.runs.get("last") == store.runs.get(run.id) == store.runs.get("1") == run
    assert (run.learner, run.seed, run.games, run.settings) == (LMS, 7, 100, {"every": 50})
    store.runs.extend(run.id, 200)
    assert store.runs.get("lms").games == 200


def test_only_the_last_checkpoint_keeps_its_state(store: Store, db: Db) -> None:
    run = new_run(store)
    assert store.runs.last_checkpoint(run.id).state is None
    recorder = store.runs.recorder(run.id)
    for games in (50, 100):
        checkpoint(recorder, games)
        last = store.runs.last_checkpoint(run.id)
        assert (last.games, last.seconds) == (games, games / 10)
        assert last.state is not None
        assert int(last.state["games"]) == games
    with opened(db) as connection:
        kept = connection.execute("SELECT games FROM checkpoints WHERE state IS NOT NULL").fetchall()
    assert kept == [(100,)]
    assert store.runs.checkpoints(run.id) == [50, 100]


arrays = hnp.arrays(
    st.sampled_from(["<f8", ">f8", "<f4", "<i8", "<u4", "<u8", "u1", "?"]), hnp.array_shapes(min_dims=0, min_side=0)
)


@given(st.dictionaries(st.text("abc_", min_size=1), arrays, max_size=3))
def test_unpacked_states_are_equal_and_writeable(of: dict[str, np.ndarray[Any, Any]]) -> None:
    back = unpacked(packed(of))
    assert back.keys() == of.keys()
    for name, array in of.items():
        np.testing.assert_array_equal(back[name], array)
        assert (back[name].shape, back[name].flags.writeable) == (array.shape, True)


def test_metrics_and_games_are_committed_with_the_next_checkpoint(store: Store, db: Db) -> None:
    run = new_run(store)
    recorder = store.runs.recorder(run.id)
    recorder.measured(10, {"error": 0.5, "norm": 2})
    recorder.learned_from(0, [("games.pdn", "1"), ("games.pdn", "2")])
    recorder.measured(10, {"wins": 3}, "random")
    tables = ("run_metrics", "run_games", "checkpoints", "models")
    assert [count(db, table) for table in tables] == [0, 0, 0, 0]
    checkpoint(recorder, 10)
    assert [count(db, table) for table in tables] == [3, 2, 1, 1]
    checkpoint(recorder, 20)
    assert [count(db, table) for table in tables] == [3, 2, 2, 2]


def test_refused_checkpoint_leaves_nothing(store: Store, db: Db) -> None:
    recorder = store.runs.recorder(new_run(store).id)
    checkpoint(recorder, 10)
    recorder.measured(10, {"error": 0.5})
    with pytest.raises(StoreError, match="rejects a row"):
        checkpoint(recorder, 10, number=11)
    assert [count(db, table) for table in ("run_metrics", "checkpoints", "models")] == [0, 1, 1]
    assert store.runs.last_checkpoint(1).state is not None


def test_equal_models_are_stored_once(store: Store, db: Db) -> None:
    recorder = store.runs.recorder(new_run(store).id)
    checkpoint(recorder, 10, number=1.5)
    checkpoint(recorder, 20, number=1.5)
    assert not store.add_model(model(1.5), {"command": "something else"})
    assert store.add_model(model(2.5), {"command": "by hand"})
    with Results(db) as results:
        frame = results.models()
    assert frame.hash.tolist() == [model(1.5).hash, model(2.5).hash]
    assert frame.made_by.iloc[0] == "lms@10, lms@20"
    assert pd.isna(frame.made_by.iloc[1])


@pytest.mark.parametrize("name", ["", "last", "12", "a b", "a@b", "a/b", "a:b=c"])
def test_ambiguous_run_names_are_refused(store: Store, name: str) -> None:
    with pytest.raises(StoreError, match="a run cannot be named"):
        new_run(store, name)


def test_existing_run_name_is_refused(store: Store) -> None:
    assert [new_run(store, numbered("lms")).name for _ in range(3)] == ["lms", "lms-2", "lms-3"]
    with pytest.raises(StoreError, match="already has a run 'lms-2': arena train --resume lms-2 continues it"):
        new_run(store, "lms-2")


def test_only_runs_without_checkpoints_are_deleted(store: Store) -> None:
    one, other = new_run(store, "one"), new_run(store, "other")
    checkpoint(store.runs.recorder(one.id), 10)
    for run in (one, other):
        store.runs.forget_empty(run.id)
    assert store.runs.get("last") == one
    with pytest.raises(StoreError, match=r"holds no run 'other'; it holds one \(1\)"):
        store.runs.get("other")


def test_models_are_found_by_run_and_by_hash(store: Store, db: Db) -> None:
    recorder = store.runs.recorder(new_run(store).id)
    checkpoint(recorder, 10)
    checkpoint(recorder, 20)
    with Results(db) as results, results._database.engine.connect() as connection:
        load = partial(models.read, connection)

        def of_run(run: str, games: str) -> models.StoredModel:
            return models.of_run(connection, run, games, "here", load)

        stored = of_run("lms", "10")
        assert (stored.name, stored.model.hash, stored.player) == ("lms@10", model(10).hash, "lms:depth=2")
        assert stored.provenance == PROVENANCE
        assert of_run("last", "last").name == of_run("1", "20").name == "lms@20"
        by_hash = models.of_hash(connection, model(10).hash[:6], "here", load)
        assert (by_hash.name, by_hash.player) == (f"@{model(10).hash}", "lms:depth=2")
        with pytest.raises(StoreError, match=r"'lms' has no checkpoint after 15 games; there are lms@10, lms@20$"):
            of_run("lms", "15")
        with pytest.raises(StoreError, match=r"here holds no run 'lsm'; did you mean 'lms'\? it holds lms \(1\)"):
            of_run("lsm", "10")
        with pytest.raises(StoreError, match="no model whose hash begins with 000000"):
            models.of_hash(connection, "000000", "here", load)
    for games in range(30, 150, 10):
        checkpoint(recorder, games)
    new_run(store, "empty")
    with Results(db) as results, results._database.engine.connect() as connection:
        with pytest.raises(StoreError, match=r"there are lms@10, .*lms@50, \.\.\., lms@100, .*lms@140$"):
            models.of_run(connection, "lms", "15", "here", partial(models.read, connection))
        with pytest.raises(StoreError, match="no checkpoint yet: arena train --resume empty continues it"):
            models.of_run(connection, "empty", "last", "here", partial(models.read, connection))


def test_views_of_runs_equal_the_dataframes(store: Store, db: Db) -> None:
    recorder = store.runs.recorder(new_run(store).id)
    recorder.measured(5, {"norm": 2.5, "error": 0.5})
    recorder.measured(10, {"wins": 3}, "random")
    checkpoint(recorder, 10)
    new_run(store, "empty")
    with Results(db) as results:
        for view, frame in (
            ("v_runs", results.runs()),
            ("v_run_metrics", results.metrics()),
            ("v_checkpoints", results.checkpoints()),
        ):
            rows = read_frame(db, f"SELECT * FROM {view}")
            for column in frame.columns.difference(["started", "added"]):
                assert rows[column].tolist() == frame[column].tolist() or frame[column].isna().any()
        pd.testing.assert_frame_equal(results.metrics("all"), results.metrics())
        pd.testing.assert_frame_equal(results.checkpoints("all"), results.checkpoints())
        runs, of_last, of_first = results.runs(), results.metrics("last"), results.metrics(1)
    assert list(runs.columns) == [
        *("id", "run", "learner", "seed", "games", "learned", "checkpoints", "seconds"),
        *("version", "weights", "started"),
    ]
    assert runs.learned.tolist() == [10, 0]
    assert runs.started.dt.tz is not None
    assert of_last.empty
    assert of_first.opponent.isna().tolist() == [True, True, False]
    assert list(of_first.fillna("").itertuples(index=False, name=None)) == [
        ("lms", "lms:rate=0.05", 7, 5, "error", "", 0.5),
        ("lms", "lms:rate=0.05", 7, 5, "norm", "", 2.5),
        ("lms", "lms:rate=0.05", 7, 10, "wins", "random", 3.0),
    ]


def test_uses_of_a_model(store: Store, db: Db) -> None:
    weights = model(10).hash
    checkpoint(store.runs.recorder(new_run(store).id), 10)
    store.create_tournament("t1", 1, {}, [PlayerIdentity("lms@10:depth=2", "lms", "checkers-arena", "0.1.0", weights)])
    store.runs.create("more", LearnerIdentity("lms:start=lms@10", "checkers-arena", "0.1.0", weights), 1, 10, {})
    with Results(db) as results:
        assert list(results.uses(weights).itertuples(index=False, name=None)) == [
            ("checkpoint", "lms@10", "lms@10"),
            ("tournament", "t1", "lms@10:depth=2"),
            ("run", "more", "lms:start=lms@10"),
        ]
        assert results.uses("nothing").empty


def test_database_without_runs_gives_empty_tables(store: Store, db: Db) -> None:
    assert store.finished(1) == set()
    with Results(db) as results:
        frames = [results.runs(), results.metrics(), results.checkpoints(), results.models()]
        assert [len(frame) for frame in frames] == [0, 0, 0, 0]
        with pytest.raises(StoreError, match="holds no run yet: arena train makes one"):
            results.metrics("last")
