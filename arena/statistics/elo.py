"""Elo differences from the results of games, or of pairs of games that share an opening.

The two games of a pair are not independent, so the pair is the unit: its score is 0, 1/2, 1, 3/2 or 2 points, and the
five counts of these are the pentanomial statistics of a match. Normalized Elo divides what is gained on average by
the standard deviation of a game's score, so that it says how many games tell two players apart (M. Van den Bergh,
*Normalized Elo*, 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, log10, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING

from arena.statistics.intervals import quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

NORMALIZED = 800 / log(10)
"""Normalized Elo for each standard deviation of a game that the mean score lies above 1/2."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number and how far from it the truth may be."""

    value: float
    error: float
    """Half the width of the confidence interval."""

    def __str__(self) -> str:
        return f"{self.value:+.1f} ± {self.error:.1f}"


def elo_of(score: float) -> float:
    """The Elo difference at which that mean score, 0 to 1, is expected; infinite at the ends."""
    if score <= 0 or score >= 1:
        return inf if score >= 1 else -inf
    return 400 * log10(score / (1 - score))


def score_of(elo: float) -> float:
    """The mean score, 0 to 1, expected at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """The results of many units of equally many games each, from the point of view of one of two players.

    ``counts``: how many units brought each score, the lowest first, in equal steps from 0 to all points of a unit:
    (losses, draws, wins) of single games, or the five counts of pairs. There is at least one unit.
    """

    counts: Sequence[float]

    @property
    def units(self) -> float:
        """How many there are."""
        return sum(self.counts)

    @property
    def games_a_unit(self) -> int:
        """1, or 2 for pairs."""
        return (len(self.counts) - 1) // 2

    @property
    def scores(self) -> list[float]:
        """The share of its points that each kind of unit brought, from 0 to 1."""
        return [i / (len(self.counts) - 1) for i in range(len(self.counts))]

    @property
    def mean(self) -> float:
        """Mean score, 0 to 1."""
        return sum(score * count for score, count in zip(self.scores, self.counts, strict=True)) / self.units

    @property
    def variance(self) -> float:
        """Variance of the score of a unit."""
        mean = self.mean
        return sum((s - mean) ** 2 * count for s, count in zip(self.scores, self.counts, strict=True)) / self.units

    def score(self, confidence: float = 0.95) -> Estimate:
        """The mean score, 0 to 1."""
        return Estimate(self.mean, quantile(confidence) * sqrt(self.variance / self.units))

    def elo(self, confidence: float = 0.95) -> Estimate:
        """The logistic Elo difference; the error is the mean of its sides, infinite where the interval is."""
        score = self.score(confidence)
        low, high = elo_of(score.value - score.error), elo_of(score.value + score.error)
        return Estimate(elo_of(score.value), inf if low == -inf or high == inf else (high - low) / 2)

    def normalized_elo(self, confidence: float = 0.95) -> Estimate:
        """The normalized Elo difference; infinite where all units brought the same and that is no even score."""
        deviation = sqrt(self.variance * self.games_a_unit)
        above = self.mean - 0.5
        error = NORMALIZED * quantile(confidence) / sqrt(self.units * self.games_a_unit)
        if deviation == 0:
            return Estimate(0.0 if above == 0 else inf if above > 0 else -inf, error)
        return Estimate(NORMALIZED * above / deviation, error)

    @property
    def los(self) -> float:
        """Likelihood of superiority: how likely the player is the better one, 0 to 1, by the normal approximation."""
        error = sqrt(self.variance / self.units)
        if error == 0:
            return 0.5 if self.mean == 0.5 else float(self.mean > 0.5)
        return NormalDist().cdf((self.mean - 0.5) / error)
