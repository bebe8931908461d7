"""Confidence intervals of shares."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def quantile(confidence: float) -> float:
    """How many standard deviations a two-sided interval of that confidence (0 to 1) reaches to either side."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def wilson(successes: float, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927): its bounds, between 0 and 1; 0 and 1 without trials."""
    if trials == 0:
        return 0.0, 1.0
    z = quantile(confidence)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    reach = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    width = 1 + z * z / trials
    return max(0.0, (centre - reach) / width), min(1.0, (centre + reach) / width)
