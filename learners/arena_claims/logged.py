"""Learners that log their weights during a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena_learners import lms, td, temporal
from arena_learners.examples import Examples

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

Trail = list[tuple[int, "np.ndarray"]]
"""Pairs of the ply of a board that was learned from, and the weights after it."""


class LoggedRule(temporal.PlainRule):
    """The rule of TD; logs the weights after each turn that it learned from."""

    trail: Trail

    def update(self, examples: temporal.Turns) -> Mapping[str, float]:
        turns = range(examples.first, len(examples.explored), 2)
        self._plies = [ply for ply in reversed(turns) if not examples.explored[ply]]
        return super().update(examples)

    def move(self, step: np.ndarray) -> None:
        super().move(step)
        self.trail.append((self._plies.pop(), self.weights.copy()))


class LoggedGeneralizer(lms.Generalizer):
    """The LMS rule; logs the weights after each example."""

    trail: Trail

    def update(self, examples: Examples) -> Mapping[str, float]:
        metrics: Mapping[str, float] = {}
        for i in range(len(examples.plies)):
            one = Examples(examples.features[i : i + 1], examples.values[i : i + 1], examples.plies[i : i + 1])
            metrics = super().update(one)
            self.trail.append((int(examples.plies[i]), self.weights.copy()))
        return metrics


class LoggedTD(td.TD):
    """TD that logs its weights."""

    def begin(self, seed: int) -> None:
        self.trail_: Trail = []
        super().begin(seed)

    def generalizer(self) -> LoggedRule:
        rule = LoggedRule(self.settings(), self.weights_, self.counts_)
        rule.trail = self.trail_
        return rule


class LoggedLMS(lms.LMS):
    """LMS that logs its weights."""

    def begin(self, seed: int) -> None:
        self.trail_: Trail = []
        super().begin(seed)

    def generalizer(self) -> LoggedGeneralizer:
        generalizer = LoggedGeneralizer(self.weights_, self.rate, self.tau, self.normalised, self.features)
        generalizer.trail = self.trail_
        return generalizer


LOGGED: Mapping[type, type[LoggedTD] | type[LoggedLMS]] = {td.TD: LoggedTD, lms.LMS: LoggedLMS}
"""The logging class of each learner."""
