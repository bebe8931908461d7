"""Confidence intervals of proportions."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def quantile(confidence: float) -> float:
    """Return half the width of a two-sided interval of this confidence (0 to 1), in standard deviations."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(successes: float, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the bounds of Wilson's score interval of a proportion (Wilson 1927); (0, 1) if there are no trials."""
    if trials == 0:
        return 0.0, 1.0
    z = quantile(confidence)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    reach = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    width = 1 + z * z / trials
    return max(0.0, (centre - reach) / width), min(1.0, (centre + reach) / width)
