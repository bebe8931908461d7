"""A learner's progress in this process and in others: the bytes of its state.

Run as a program, the module learns as its argument says, and prints the digest of the state and the names of the
functions that Numba compiled without a cache, as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

from arena.conformance.survey import seed_globally
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.contracts.learner import Learner
from arena.plugins import specs
from arena.plugins.files import Files
from arena.plugins.models import Resolver

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from arena.conformance.check import Settings
    from arena.contracts.episode import Episode
    from arena.plugins.specs import Spec

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
_TIMEOUT = 600.0
State = dict[str, tuple[str, tuple[int, ...], bytes]]
"""By name, the type, shape and bytes of each array of a state."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a learner in another process has come to."""

    digest: str
    uncached: list[str]


def plays_itself(learner: Learner) -> bool:
    """Whether a learner learns from games against itself."""
    return type(learner).self_play is not Learner.self_play


def games_of(learner: Learner, settings: Settings) -> int:
    """Return the number of games from which the learner learns at a time."""
    return ceil(settings.games / learner.step) * learner.step


def advance(learner: Learner, start: int, games: int) -> Mapping[str, float]:
    """Learn from ``games`` games against itself, or else from random games with the numbers ``start`` and following."""
    if plays_itself(learner):
        return learner.self_play(games)
    metrics: Mapping[str, float] = {}
    for first in range(start, start + games, learner.step):
        metrics = learner.learn_from(episodes(first, learner.step))
    return metrics


def episodes(start: int, count: int) -> list[Episode]:
    """Return random games."""
    from arena.search.selfplay import Games

    games = Games(RANDOM_MOVES, RANDOM_MOVES)
    return [games.play(0, number) for number in range(start, start + count)]


def frozen(state: Mapping[str, np.ndarray[Any, Any]]) -> State:
    """Return the bytes of a state."""
    return {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in state.items()}


def difference(one: State, other: State) -> str | None:
    """Return the name of the first array that differs; None if the states are equal, bit for bit."""
    return next((name for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name)), None)


def digest(state: State) -> str:
    """Return a hash of a state."""
    return hashlib.blake2b(repr(sorted(state.items())).encode(), digest_size=16).hexdigest()


def elsewhere(spec: Spec, settings: Settings, threads: int) -> Outcome:
    """Learn in a new interpreter in which libraries use this number of threads. Raises ChildProcessError."""
    files = {file.name: file.path for file in spec.files}
    order = json.dumps([spec.text, files, settings.games, settings.seed, [entry or os.getcwd() for entry in sys.path]])  # noqa: PTH109
    command = [sys.executable, "-c", f"import json, sys; sys.path[:] = json.loads(sys.argv[1])[4]; {_MAIN}", order]
    environment = os.environ | dict.fromkeys(_THREADS, str(threads))
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
    if done.returncode:
        raise ChildProcessError(done.stderr.strip().rpartition("\n")[2])
    return Outcome(**json.loads(done.stdout.strip().rpartition("\n")[2]))


_MAIN = "from arena.conformance import learning; learning.main()"


def main() -> None:
    """Learn as the argument says, and print the :class:`Outcome`."""
    from numba.core import event

    text, files, games, seed, _ = json.loads(sys.argv[1])
    listener = event.RecordingListener()  # type: ignore[no-untyped-call]
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]
    learner: Learner = specs.parse("learner", text, resolver=Resolver(Files(files))).create()
    seed_globally(0)
    learner.begin(seed)
    advance(learner, 0, ceil(games / learner.step) * learner.step)
    uncached = []
    for _, compilation in listener.buffer:
        kernel = compilation.data["dispatcher"]
        if compilation.is_start and type(getattr(kernel, "_cache", None)).__name__ == "NullCache":
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
            uncached.append(f"Numba compiles {name} again in every process: compile it with cache=True")
    print(json.dumps({"digest": digest(frozen(learner.state())), "uncached": uncached}))
