"""Elo differences from the results of games, or of pairs of games that share an opening.

The two games of a pair are not independent, so the pair is the statistical unit. Its score is 0, 1/2, 1, 3/2 or 2
points; the counts of these five scores are the pentanomial statistics of a match.

Normalized Elo is the mean score above 1/2 divided by the standard deviation of the score of a game. It therefore
determines the number of games that are needed to tell two players apart (M. Van den Bergh, *Normalized Elo*, 2021).
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
"""Normalized Elo of a mean score that is one standard deviation of a game above 1/2."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate with its confidence interval."""

    value: float
    error: float
    """Half the width of the confidence interval."""

    def __str__(self) -> str:
        return f"{self.value:+.1f} ± {self.error:.1f}"


def elo_of(score: float) -> float:
    """Return the Elo difference with this expected mean score (0 to 1); infinite for 0 and 1."""
    if score <= 0 or score >= 1:
        return inf if score >= 1 else -inf
    return 400 * log10(score / (1 - score))


def score_of(elo: float) -> float:
    """Return the expected mean score (0 to 1) at an Elo difference."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """The results of a match from the point of view of one of its two players. A unit is a game, or a pair of games.

    ``counts`` are the numbers of units with each score, in equal steps from no points to all points of a unit: (losses,
    draws, wins) of single games, or the five counts of pairs. There is at least one unit.
    """

    counts: Sequence[float]

    @property
    def units(self) -> float:
        """Number of units."""
        return sum(self.counts)

    @property
    def games_a_unit(self) -> int:
        """Number of games in a unit: 1, or 2 for pairs."""
        return (len(self.counts) - 1) // 2

    @property
    def scores(self) -> list[float]:
        """The score that each of the counts stands for, as a share of the points of a unit (0 to 1)."""
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
        """Return the mean score, 0 to 1."""
        return Estimate(self.mean, quantile(confidence) * sqrt(self.variance / self.units))

    def elo(self, confidence: float = 0.95) -> Estimate:
        """Return the logistic Elo difference.

        Its interval is not symmetric; the error is half the width. It is infinite if a bound is infinite.
        """
        score = self.score(confidence)
        low, high = elo_of(score.value - score.error), elo_of(score.value + score.error)
        return Estimate(elo_of(score.value), inf if low == -inf or high == inf else (high - low) / 2)

    def normalized_elo(self, confidence: float = 0.95) -> Estimate:
        """Return the normalized Elo difference; infinite if all units have the same score and it is not 1/2."""
        deviation = sqrt(self.variance * self.games_a_unit)
        above = self.mean - 0.5
        error = NORMALIZED * quantile(confidence) / sqrt(self.units * self.games_a_unit)
        if deviation == 0:
            return Estimate(0.0 if above == 0 else inf if above > 0 else -inf, error)
        return Estimate(NORMALIZED * above / deviation, error)

    @property
    def los(self) -> float:
        """Likelihood of superiority: probability (0 to 1) that the player is better, by the normal approximation."""
        error = sqrt(self.variance / self.units)
        if error == 0:
            return 0.5 if self.mean == 0.5 else float(self.mean > 0.5)
        return NormalDist().cdf((self.mean - 0.5) / error)
