"""The rule of temporal differences for the weights of a linear function, compiled and in plain Python.

Melicher (2009) gives U(s) += a (R + U(s') - U(s)) with a = 50 / (49 + n), and no rule for the weights. Ours, for the
boards s and s' of two successive turns of one side::

    delta = R + U(s') - U(s)
    e     = lambda · e + F(s) / (1 + F(s)·F(s))
    c    += a · delta · e

R is 0 before the end. At the end R is ± the reward or 0, and U(s') is 0. lambda is that of TD(lambda) (Sutton 1988).
Dividing by 1 + F·F keeps a step from overshooting its target. Without the division, and with lambda = 0, the rule is
his formula applied to raw features. Nothing is learned about the board before a random move, and the trace e starts
again at 0 (Watkins 1989).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

import arena
from arena.search.logistic import expected
from arena_evaluators.rote import FEATURES, features

if TYPE_CHECKING:
    from collections.abc import Mapping

FLOOR = 0.01
"""Smallest weight if weights are guarded."""
LIMIT = 1e9
"""Weights that are not guarded are kept within ± this, so that numbers stay finite."""

Alpha = Literal["50/(49+n)", "1/n"]
Count = Literal["boards", "visits", "games"]

_BOARDS, _FLOORED, _CAPPED, _FLIPPED = range(4)


def step_size(n: int, alpha: Alpha = "50/(49+n)") -> float:
    """Return the learning coefficient a after n >= 1 boards (Melicher 2009). It is 1 for n = 1 and falls."""
    return 50 / (49 + n) if alpha == "50/(49+n)" else 1 / n


@dataclass(frozen=True, slots=True)
class Turns:
    """The training examples of one side of a game."""

    boards: np.ndarray
    """Masks own, opp, kings of every position for its side to move: int64, (plies + 1, 3)."""
    first: int
    """Ply of the side's first turn: 0 or 1."""
    reward: float
    """R at the end."""
    explored: np.ndarray
    """Whether each move was random: bool, (plies,)."""
    counts: np.ndarray
    """n of each position, int64, (plies + 1,); or empty, (0,), if n is the number of boards."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the rule; see the options of :class:`arena_learners.td.TD`."""

    reward: float = 10.0
    alpha: Alpha = "50/(49+n)"
    lambda_: float = 0.0
    total: bool = False
    win_probability: bool = False
    normalised: bool = True
    guarded: bool = True


class Rule(Protocol):
    """Weights and the rule that changes them."""

    weights: np.ndarray
    """c1 to c3: float64, (3,)."""
    counts: np.ndarray
    """Counts so far: boards learned from; times that a weight reached the floor, reached the ceiling (the reward), and
    changed its sign: int64, (4,)."""

    def update(self, examples: Turns) -> Mapping[str, float]:
        """Apply the rule to each turn of a side, in order. Metric ``squared_delta``: sum of delta²."""


class PlainRule:
    """The rule in plain Python."""

    def __init__(self, settings: Settings, weights: np.ndarray, counts: np.ndarray) -> None:
        self.settings = settings
        self.weights = weights
        self.counts = counts

    def update(self, examples: Turns) -> Mapping[str, float]:
        trace = np.zeros(FEATURES)
        squares = 0.0
        last = len(examples.boards) - 1
        for ply in range(examples.first, last, 2):
            self.counts[_BOARDS] += 1
            if examples.explored[ply]:
                trace[:] = 0
                continue
            f = self.features(examples.boards[ply])
            over = ply + 2 >= last
            target = examples.reward if over else self.value(self.features(examples.boards[ply + 2]))
            delta = target - self.value(f)
            trace = self.settings.lambda_ * trace + f / (1 + self.dot(f, f) if self.settings.normalised else 1)
            n = int(examples.counts[ply] if len(examples.counts) else self.counts[_BOARDS])
            self.move(step_size(n, self.settings.alpha) * delta * trace)
            squares += delta * delta
        return {"squared_delta": squares}

    def features(self, masks: np.ndarray) -> np.ndarray:
        """Return F1 to F3 of a board for its side to move."""
        own, opp, kings = masks.tolist()
        return np.array(features(own, opp, kings, int(self.settings.total)), dtype=np.float64)

    def value(self, f: np.ndarray) -> float:
        """Return U, or the expected result of U: reward · (2P - 1) with the win probability P, -reward to reward."""
        u, reward = self.dot(self.weights, f), self.settings.reward
        return reward * expected(u, 2 / reward) if self.settings.win_probability else u

    def dot(self, a: np.ndarray, b: np.ndarray) -> float:
        """Return a·b, summed in order."""
        return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])

    def move(self, step: np.ndarray) -> None:
        """Add ``step`` to the weights, within their bounds."""
        low, high = (FLOOR, self.settings.reward) if self.settings.guarded else (-LIMIT, LIMIT)
        moved = self.weights + step
        self.counts[_FLOORED] += int((moved < low).sum())
        self.counts[_CAPPED] += int((moved > high).sum())
        moved = np.clip(moved, low, high)
        self.counts[_FLIPPED] += int(((moved < 0) != (self.weights < 0)).sum())
        self.weights[:] = moved


class CompiledRule:
    """The compiled twin of :class:`PlainRule`, with the same bits."""

    def __init__(self, settings: Settings, weights: np.ndarray, counts: np.ndarray) -> None:
        self.weights = weights
        self.counts = counts
        low, high = (FLOOR, settings.reward) if settings.guarded else (-LIMIT, LIMIT)
        self._numbers = np.array(
            [
                settings.reward,
                *((50.0, 49.0) if settings.alpha == "50/(49+n)" else (1.0, 0.0)),
                settings.lambda_,
                settings.total,
                settings.win_probability,
                settings.normalised,
                low,
                high,
            ]
        )

    def update(self, examples: Turns) -> Mapping[str, float]:
        game = examples.boards, examples.first, examples.reward, examples.explored, examples.counts
        return {"squared_delta": float(_update(*game, self._numbers, self.weights, self.counts))}


@arena.kernel
def _value(c: np.ndarray, f: tuple[int, int, int], reward: float, win_probability: float) -> float:
    u: float = c[0] * f[0] + c[1] * f[1] + c[2] * f[2]
    return reward * expected(u, 2 / reward) if win_probability else u


@arena.kernel
def _update(
    boards: np.ndarray,
    first: int,
    final: float,
    explored: np.ndarray,
    own_counts: np.ndarray,
    numbers: np.ndarray,
    c: np.ndarray,
    counts: np.ndarray,
) -> float:
    reward, numerator, addend, decay, total, win_probability, normalised, low, high = numbers
    trace = np.zeros(FEATURES)
    squares = 0.0
    last = len(boards) - 1
    for ply in range(first, last, 2):
        counts[_BOARDS] += 1
        if explored[ply]:
            trace[:] = 0
            continue
        f = features(boards[ply, 0], boards[ply, 1], boards[ply, 2], total)
        target = final
        if ply + 2 < last:
            following = features(boards[ply + 2, 0], boards[ply + 2, 1], boards[ply + 2, 2], total)
            target = _value(c, following, reward, win_probability)
        delta = target - _value(c, f, reward, win_probability)
        n = own_counts[ply] if len(own_counts) else counts[_BOARDS]
        length = 1 + f[0] * f[0] + f[1] * f[1] + f[2] * f[2] if normalised else 1
        step = numerator / (addend + n) * delta
        for i in range(FEATURES):
            trace[i] = decay * trace[i] + f[i] / length
            moved = c[i] + step * trace[i]
            counts[_FLOORED] += moved < low
            counts[_CAPPED] += moved > high
            moved = min(max(moved, low), high)
            counts[_FLIPPED] += (moved < 0) != (c[i] < 0)
            c[i] = moved
        squares += delta * delta
    return squares


def report(rule: Rule) -> Mapping[str, float]:
    """Return weights and counts by name."""
    names = ("boards_learned", "floored", "capped", "sign_flips")
    weights = {f"c{i + 1}": float(weight) for i, weight in enumerate(rule.weights)}
    return weights | {name: float(count) for name, count in zip(names, rule.counts, strict=True)}
