"""Intervals for proportions."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(wins: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of ``wins / n``, both ends within 0 and 1; (0, 1) where ``n`` is 0.

    Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    Raises ValueError unless 0 <= wins <= n and 0 < confidence < 1.
    """
    if not 0 <= wins <= n:
        raise ValueError(f"{wins} wins of {n} games")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence of {confidence} is not between 0 and 1")
    if n == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    shrink = 1 + z * z / n
    centre = (wins + z * z / 2) / n / shrink
    half = z * sqrt(wins * (n - wins) / n + z * z / 4) / n / shrink
    # At 0 and n wins the ends are 0 and 1 exactly; rounding must not move them.
    return (0.0 if wins == 0 else centre - half), (1.0 if wins == n else centre + half)
