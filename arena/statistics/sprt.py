"""Sequential probability ratio tests (SPRT) of two Elo differences.

The match goes on until its results decide between two hypotheses about the Elo difference. The test is Wald's
sequential probability ratio test (1945), generalized to results of which only the mean is known under a hypothesis.
For each hypothesis the test takes the most likely distribution with this mean; for normalized Elo, with this ratio of
mean to standard deviation. M. Van den Bergh derives it for tests of chess engines (*The GSPRT for trinomial and
pentanomial models*, 2020; *Comments on normalized Elo*, 2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Literal

from arena.statistics.elo import NORMALIZED, score_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WIDEST = 200
"""Maximum difference in normalized Elo. The search for the most likely distributions fails from 240 on."""
WIDEST_LOGISTIC = 1000
"""Maximum difference in logistic Elo; it corresponds to 99.7 % of the points."""
_SMALLEST = 1e-3
"""Replaces a count of 0, which would give the result probability 0."""
_ROUNDS = 60
_PRECISE = 1e-12

Verdict = Literal["H0", "H1", "open"]


@dataclass(frozen=True, slots=True)
class SPRT:
    """A test of H0 (the Elo difference is ``elo0``) against H1 (it is ``elo1``); ``elo0`` < ``elo1``."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """Probability of accepting H1 if H0 is true."""
    beta: float = 0.05
    """Probability of accepting H0 if H1 is true."""
    normalized: bool = True
    """Whether the differences are in normalized Elo; otherwise they are in logistic Elo."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Log-likelihood ratios at or below which H0, and at or above which H1, is accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float]) -> float:
        """Return the log-likelihood ratio of H1 to H0; ``counts`` as in :class:`arena.statistics.elo.MatchCounts`."""
        if sum(counts) == 0:
            return 0.0
        full = [max(float(count), _SMALLEST) for count in counts]
        total = sum(full)
        shares = [count / total for count in full]
        scores = [i / (len(full) - 1) for i in range(len(full))]
        games = (len(full) - 1) // 2
        most_likely = _of_ratio if self.normalized else _of_mean
        units = [elo / NORMALIZED * sqrt(games) if self.normalized else score_of(elo) for elo in (self.elo0, self.elo1)]
        at0, at1 = (most_likely(scores, shares, unit) for unit in units)
        return total * sum(share * log(p1 / p0) for share, p0, p1 in zip(shares, at0, at1, strict=True))

    def verdict(self, counts: Sequence[float]) -> Verdict:
        """Return the hypothesis that is accepted after these results, or ``open``."""
        low, high = self.bounds
        llr = self.llr(counts)
        return "H0" if llr <= low else "H1" if llr >= high else "open"


def _of_mean(scores: Sequence[float], shares: Sequence[float], mean: float) -> list[float]:
    """Return the most likely distribution with this mean, given the observed shares.

    Its probabilities are share / (1 + t (score - mean)).
    """
    offsets = [score - mean for score in scores]
    t = _root(
        lambda t: sum(share * offset / (1 + t * offset) for share, offset in zip(shares, offsets, strict=True)),
        -1 / max(offsets),
        -1 / min(offsets),
    )
    return [share / (1 + t * offset) for share, offset in zip(shares, offsets, strict=True)]


def _of_ratio(scores: Sequence[float], shares: Sequence[float], ratio: float) -> list[float]:
    """Return the most likely distribution whose mean is ``ratio`` standard deviations above 1/2.

    The condition is not linear in the probabilities. It is linearized at the current distribution, which turns it into
    a condition on the mean of other scores. This step is repeated until the distribution no longer changes.
    """
    distribution = [1 / len(scores)] * len(scores)
    for _ in range(_ROUNDS):
        before = distribution
        mean = sum(p * s for p, s in zip(distribution, scores, strict=True))
        variance = sum(p * (s - mean) ** 2 for p, s in zip(distribution, scores, strict=True))
        deviation = sqrt(variance)
        linearized = [s - 0.5 - ratio * deviation * (1 + ((mean - s) / deviation) ** 2) / 2 for s in scores]
        distribution = _of_mean(linearized, shares, 0.0)
        if max(abs(p - q) for p, q in zip(distribution, before, strict=True)) < _PRECISE:
            break
    return distribution


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a function that falls from infinity at ``low`` to minus infinity at ``high``, by bisection."""
    while high - low > _PRECISE * max(1.0, abs(low), abs(high)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
