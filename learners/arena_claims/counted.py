"""Learners that count their games of self-play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import arena
from arena_learners.loop import ModularLearner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.commands import Spec
    from arena_learners.loop import ExperimentGenerator

_AT_ONCE = 1_000_000
"""Number of boards to collect before duplicates are removed."""


class GameCounter:
    """An experiment generator that counts the games of another one."""

    def __init__(self, generator: ExperimentGenerator) -> None:
        self.generator = generator
        self.games = self.drawn = self.plies = 0
        self._boards = np.zeros((0, 3), dtype=np.uint32)
        self._new: list[np.ndarray] = []

    def play(self, number: int) -> arena.Episode:
        """Play game ``number`` with the other generator."""
        episode = self.generator.play(number)
        self.games += 1
        self.drawn += episode.winner is None
        self.plies += episode.plies
        self._new.append(episode.boards.astype(np.uint32))
        if sum(map(len, self._new)) > _AT_ONCE:
            self._merge()
        return episode

    @property
    def boards(self) -> int:
        """Number of distinct boards, relative to the side to move."""
        self._merge()
        return len(self._boards)

    def columns(self) -> Mapping[str, float]:
        """Return the counts: distinct boards, percentage of drawn games, mean plies of a game."""
        return {
            "boards": self.boards,
            "draw_pct": 100 * self.drawn / self.games,
            "plies": self.plies / self.games,
        }

    def _merge(self) -> None:
        self._boards = np.unique(np.concatenate([self._boards, *self._new]), axis=0)
        self._new = []


class Counted(ModularLearner):
    """A learner whose experiment generator counts its games. Derive from this class and from the learner."""

    counter_: GameCounter

    def experiment_generator(self) -> GameCounter:
        self.counter_ = GameCounter(super().experiment_generator())
        return self.counter_


def counted(spec: Spec) -> Any:
    """Return the learner of a spec, which counts its games. Raises UsageError if it has no experiment generator."""
    cls = spec.registered.cls
    if not issubclass(cls, ModularLearner):
        raise arena.UsageError(f"the games of {spec.text} cannot be counted: {spec.name} has no experiment generator")
    return type(f"Counted{cls.__name__}", (Counted, cls), {})(**spec.arguments)
