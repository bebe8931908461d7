"""Learners whose games against themselves are counted."""

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
"""Boards that are kept before the distinct ones among them are found."""


class GameCounter:
    """An experiment generator that counts what happens in the games of another one."""

    def __init__(self, generator: ExperimentGenerator) -> None:
        self.generator = generator
        self.games = self.drawn = self.plies = 0
        self._boards = np.zeros((0, 3), dtype=np.uint32)
        self._new: list[np.ndarray] = []

    def play(self, number: int) -> arena.Episode:
        """Game ``number``, as the other generator plays it."""
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
        """Distinct boards, as the side to move sees them."""
        self._merge()
        return len(self._boards)

    def columns(self) -> Mapping[str, float]:
        """What was counted: distinct boards, the percentage of drawn games, and plies a game."""
        return {
            "boards": self.boards,
            "draw_pct": 100 * self.drawn / self.games,
            "plies": self.plies / self.games,
        }

    def _merge(self) -> None:
        self._boards = np.unique(np.concatenate([self._boards, *self._new]), axis=0)
        self._new = []


class Counted(ModularLearner):
    """A learner whose experiment generator counts its games; derive from this and from the learner."""

    counter_: GameCounter

    def experiment_generator(self) -> GameCounter:
        self.counter_ = GameCounter(super().experiment_generator())
        return self.counter_


def counted(spec: Spec) -> Any:
    """The learner of a spec, with its games counted. Raises UsageError if its games cannot be counted."""
    cls = spec.registered.cls
    if not issubclass(cls, ModularLearner):
        raise arena.UsageError(f"the games of {spec.text} cannot be counted: {spec.name} has no experiment generator")
    return type(f"Counted{cls.__name__}", (Counted, cls), {})(**spec.arguments)
