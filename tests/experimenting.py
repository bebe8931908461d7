"""A small experiment with a learner that needs no compiled code."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from arena.experiment import runner
from arena.experiment.plan import ExperimentPlan
from arena.experiment.settings import ExperimentSettings
from arena.plugins import registry
from arena.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGINS = Path(__file__).parent / "training" / "plugins"
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
        carried_out(tmp_path_factory.mktemp("experiment") / "arena.sqlite", workers=1).rename(path)
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
