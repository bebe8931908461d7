"""Sequential tests of two Elo differences: play until it is clear enough which of them is nearer the truth.

Wald's sequential probability ratio test (1945), generalized to results whose distribution is unknown but for its mean:
under each hypothesis the distribution is the likeliest one with that mean (or, for normalized Elo, with that ratio of
mean to standard deviation), as M. Van den Bergh derives it for tests of chess engines (*The GSPRT for trinomial and
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
"""Normalized Elo up to which the likeliest distributions are found; from 240 on the search for them fails."""
WIDEST_LOGISTIC = 1000
"""Logistic Elo up to which differences make sense: 99.7 % of the points."""
_SMALLEST = 1e-3
"""Stands for a count of 0, which would forbid a result for ever."""
_ROUNDS = 60
_PRECISE = 1e-12

Verdict = Literal["H0", "H1", "open"]


@dataclass(frozen=True, slots=True)
class SPRT:
    """A test of H0, the difference is ``elo0``, against H1, it is ``elo1``, with ``elo0`` < ``elo1``."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    """How likely H1 may be accepted where H0 is true."""
    beta: float = 0.05
    """How likely H0 may be accepted where H1 is true."""
    normalized: bool = True
    """Whether the differences are in normalized Elo; else in logistic Elo."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which H0 and H1 are accepted."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)

    def llr(self, counts: Sequence[float]) -> float:
        """The log-likelihood ratio of H1 to H0 for results as :class:`arena.statistics.elo.MatchCounts` counts them."""
        if sum(counts) == 0:
            return 0.0
        full = [max(float(count), _SMALLEST) for count in counts]
        total = sum(full)
        shares = [count / total for count in full]
        scores = [i / (len(full) - 1) for i in range(len(full))]
        games = (len(full) - 1) // 2
        likeliest = _of_ratio if self.normalized else _of_mean
        units = [elo / NORMALIZED * sqrt(games) if self.normalized else score_of(elo) for elo in (self.elo0, self.elo1)]
        at0, at1 = (likeliest(scores, shares, unit) for unit in units)
        return total * sum(share * log(p1 / p0) for share, p0, p1 in zip(shares, at0, at1, strict=True))

    def verdict(self, counts: Sequence[float]) -> Verdict:
        """Which hypothesis is accepted, if any, after these results."""
        low, high = self.bounds
        llr = self.llr(counts)
        return "H0" if llr <= low else "H1" if llr >= high else "open"


def _of_mean(scores: Sequence[float], shares: Sequence[float], mean: float) -> list[float]:
    """The likeliest distribution with that mean, given the observed shares: share / (1 + t (score - mean))."""
    offsets = [score - mean for score in scores]
    t = _root(
        lambda t: sum(share * offset / (1 + t * offset) for share, offset in zip(shares, offsets, strict=True)),
        -1 / max(offsets),
        -1 / min(offsets),
    )
    return [share / (1 + t * offset) for share, offset in zip(shares, offsets, strict=True)]


def _of_ratio(scores: Sequence[float], shares: Sequence[float], ratio: float) -> list[float]:
    """The likeliest distribution whose mean lies ``ratio`` standard deviations above 1/2.

    The condition is replaced by one on a mean, that of the scores less what the condition is steep in them, which is
    right at the distribution it was made from; this is repeated until it holds there.
    """
    found = [1 / len(scores)] * len(scores)
    for _ in range(_ROUNDS):
        before = found
        mean = sum(p * s for p, s in zip(found, scores, strict=True))
        variance = sum(p * (s - mean) ** 2 for p, s in zip(found, scores, strict=True))
        deviation = sqrt(variance)
        bent = [s - 0.5 - ratio * deviation * (1 + ((mean - s) / deviation) ** 2) / 2 for s in scores]
        found = _of_mean(bent, shares, 0.0)
        if max(abs(p - q) for p, q in zip(found, before, strict=True)) < _PRECISE:
            break
    return found


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that falls from infinity at ``low`` to minus infinity at ``high`` is 0, by bisection."""
    while high - low > _PRECISE * max(1.0, abs(low), abs(high)):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
