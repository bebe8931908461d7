"""Experiments from Python."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.errors import StoreError, UsageError
from experimenting import content

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("tiny", "shared_launcher")

TOML = """
seeds = 2
[[learners]]
learner = "tiny"
games = 4
checkpoints = [4]
[measuring]
opponents = ["random"]
games = 2
"""
TABLE: dict[str, Any] = {
    "seeds": 2,
    "learners": [{"learner": "tiny", "games": 4, "checkpoints": [4]}],
    "measuring": {"opponents": ["random"], "games": 2},
}


def test_a_file_and_a_mapping_give_the_same_experiment(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(TOML)
    with arena.run_experiment(file, database=tmp_path / "one.sqlite", workers=1) as results:
        assert results.experiment().name == "x"
        assert results.learning_curve()["played"].tolist() == [2, 2]
    with arena.run_experiment(TABLE, name="x", database=tmp_path / "two.sqlite", workers=1) as results:
        assert results.experiments()["experiment"].tolist() == ["x"]
    assert content(tmp_path / "one.sqlite") == content(tmp_path / "two.sqlite")
    with pytest.raises(StoreError, match="already has an experiment 'x'"):
        arena.run_experiment(file, database=tmp_path / "one.sqlite")


def test_a_stopped_experiment_is_continued(db: Path) -> None:
    arena.run_experiment(TABLE, name="x", database=db, workers=1)
    whole = content(db)
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("DELETE FROM games WHERE round = 1")
        connection.commit()
    with arena.resume_experiment(database=db, workers=1) as results:
        assert len(results.games("x")) == 4
    assert content(db) == whole


def test_bad_input_is_refused_before_any_work(db: Path) -> None:
    with pytest.raises(UsageError, match="needs a name"):
        arena.run_experiment(TABLE, database=db)
    with pytest.raises(UsageError, match="there is no file"):
        arena.run_experiment("nothing.toml", database=db)
    with pytest.raises(UsageError, match="did you mean 'seeds'"):
        arena.run_experiment(TABLE | {"seed": 1}, name="x", database=db)
    with pytest.raises(StoreError, match="no database"):
        arena.resume_experiment("x", database=db)
    assert not db.exists()
