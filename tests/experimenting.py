"""A small experiment with a learner that needs no compiled code."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arena.experiment import runner
from arena.experiment.plan import ExperimentPlan
from arena.experiment.settings import ExperimentSettings
from arena.plugins import registry
from arena.store import Store
from launchers import shared_processes

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGINS = Path(__file__).parent / "training" / "plugins"
TIMES = {"started", "seconds", "added", "cpu_seconds"}
TABLE: dict[str, Any] = {
    "seeds": 2,
    "learners": [
        {"learner": "tiny", "games": 12, "checkpoints": [4, 12]},
        {"label": "slow", "learner": "tiny:scale=0.3:seconds=0.005", "games": 12, "checkpoints": [4, 8, 12]},
    ],
    "measuring": {"opponents": ["random", "m1"], "games": 4, "final-games": 2},
}


@pytest.fixture(scope="module")
def tiny() -> Iterator[None]:
    """Makes the learners and the player of ``arena_tiny`` known, here and in processes that are started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGINS)
        known = os.environ.get("PYTHONPATH", "")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(PLUGINS), known))))
        registry.load.cache_clear()
        yield
    registry.load.cache_clear()
    sys.modules.pop("arena_tiny", None)


@pytest.fixture(scope="module")
def experiment(tmp_path_factory: pytest.TempPathFactory, tiny: None) -> Path:  # noqa: ARG001
    """The database of the uninterrupted experiment ``x``. Tests only read it. It is made once in each test process."""
    path = tmp_path_factory.getbasetemp() / "experiment.sqlite"
    if not path.exists():
        with shared_processes():
            carried_out(tmp_path_factory.mktemp("experiment") / "arena.sqlite", workers=1).rename(path)
    return path


@pytest.fixture(scope="module")
def few_games(experiment: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of the experiment with every sixth of its games. Tests only read it."""
    path = tmp_path_factory.mktemp("few") / "arena.sqlite"
    shutil.copy(experiment, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM games WHERE id % 6")
        connection.commit()
    return path


def settings(**changes: Any) -> ExperimentSettings:
    """The settings of the small experiment with some tables changed."""
    return ExperimentSettings.from_table(TABLE | changes)


def carried_out(path: Path, table: ExperimentSettings | None = None, **options: Any) -> Path:
    """Carry out the experiment ``x`` in a new database."""
    plan = ExperimentPlan(table or settings(), path)
    with Store.open(path) as store:
        runner.run("x", plan, store, **options)
    return path


def content(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of a database without times, sorted."""
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        tables = {}
        for name in names:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})") if row[1] not in TIMES]
            tables[name] = sorted(connection.execute(f"SELECT {', '.join(columns)} FROM {name}"), key=repr)
    return tables
