"""From an evaluator's own units to the expected result of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_STEPS = 50
_PRIOR = 1.0
"""Weight of the belief that a typical score speaks for odds of e to 1, which decides where there are few games."""


def slope(scores: ArrayLike, results: ArrayLike) -> float:
    """The k > 0 for which ``expected(score, k)`` fits the results best: logistic regression without a constant.

    ``scores`` are values of positions in any unit, ``results`` how their games ended: 1, 0 or -1, both from the same
    point of view. Maximum a posteriori by Newton's method, with a normal prior on k times the median size of a score
    that is not 0.
    """
    x, result = np.asarray(scores, dtype=float), np.asarray(results, dtype=float)
    sizes = np.abs(x[x != 0])
    if not sizes.size:
        return 1.0
    size = float(np.median(sizes))
    x = x / size
    k = 1.0
    for _ in range(_STEPS):
        tanh = np.tanh(k * x / 2)
        gradient = (x * (result - tanh)).sum() / 2 - _PRIOR * (k - 1)
        curvature = (x**2 * (1 - tanh**2)).sum() / 4 + _PRIOR
        step = gradient / curvature
        k = max(k + step, k / 2)
        if abs(step) < 1e-9:
            break
    return float(k / size)


def expected(score: float, k: float) -> float:
    """The expected result, from -1 to 1, of a position of that value: 2 / (1 + exp(-k score)) - 1."""
    return float(np.tanh(k * score / 2))
