"""Learners and rating systems give the same bits for any number of threads and cores."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.plugins import registry

pytestmark = pytest.mark.long

GAMES = 40
THREADS = (1, 2, 4)
CHILD = f"""
import os, sys
if sys.argv[1] == "1" and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
import hashlib
import numpy as np
from arena.plugins import registry
from arena.contracts.rating import RatedGame
from arena_learners import qmodel_as_written

qmodel_as_written._FIRST_EPOCHS = 1
registry = registry.load()
for item in registry.all("learner"):
    learner = item.cls()
    learner.begin(1)
    metrics = learner.self_play(-(-{GAMES} // learner.step) * learner.step)
    print("learner", item.name, learner.model().hash, sorted(metrics.items()))
random = np.random.default_rng(1)
names = [str(number) for number in range(120)]
pairs = [random.choice(names, 2, replace=False) for _ in range(2000)]
games = [RatedGame(str(black), str(white), int(random.integers(3)) / 2) for black, white in pairs]
for item in registry.all("rating"):
    print("rating", item.name, item.cls().rate(names, games))
from arena.ratings.davidson import _tabulate, fit
fitted = fit(len(names), *_tabulate(names, games), prior_sd=500.0, first_move=True)
print("fit", "davidson", hashlib.sha256(fitted.covariance.tobytes()).hexdigest())
"""


def learned(threads: int) -> dict[tuple[str, str], str]:
    """Output of a process with this number of BLAS threads, by kind and name; with one thread it has one core."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, "-c", CHILD, str(threads)]
    lines = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
    parts = (line.split(maxsplit=2) for line in lines)
    return {(kind, name): result for kind, name, result in parts}


@pytest.fixture(scope="module")
def runs() -> list[dict[tuple[str, str], str]]:
    with ThreadPoolExecutor() as pool:
        return list(pool.map(learned, THREADS))


@pytest.mark.parametrize("name", sorted(item.name for item in registry.load().all("learner")))
def test_models_are_the_same_with_any_number_of_threads(name: str, runs: list[dict[tuple[str, str], str]]) -> None:
    assert len({run["learner", name] for run in runs}) == 1


def test_ratings_are_the_same_with_any_number_of_threads(runs: list[dict[tuple[str, str], str]]) -> None:
    for name in [item.name for item in registry.load().all("rating")]:
        assert len({run["rating", name] for run in runs}) == 1
    assert len({run["fit", "davidson"] for run in runs}) == 1
