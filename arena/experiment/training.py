"""Training runs."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from arena.learner import Learner
    from arena.model import Model
    from arena.specs import Spec


@dataclass(frozen=True, slots=True)
class Trained:
    """What a training run made."""

    model: Model
    metrics: Mapping[str, float]
    """Of the last game."""
    provenance: Mapping[str, str]
    """Command, learner, games, seed, and versions that make the same model again."""


def train(
    learner: Spec,
    games: int,
    seed: int,
    progress: Callable[[int, Mapping[str, float]], None] = lambda _done, _metrics: None,
) -> Trained:
    """Let a fresh learner play ``games`` >= 1 games; the same learner, games and seed make the same model.

    ``progress`` hears after each game how many there were and the learner's metrics.
    """
    pupil: Learner = learner.create()
    pupil.begin(seed)
    metrics: Mapping[str, float] = {}
    for done in range(1, games + 1):
        metrics = pupil.practise(1)
        progress(done, metrics)
    provenance = {
        "command": f"arena train {shlex.quote(learner.text)} --games {games} --seed {seed}",
        "learner": learner.text,
        "games": str(games),
        "seed": str(seed),
        "start": learner.weights or "nothing",
        "version": learner.registered.origin,
        "arena": version("checkers-arena"),
    }
    return Trained(pupil.model(), metrics, provenance)
