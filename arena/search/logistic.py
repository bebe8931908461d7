"""The logistic function, which converts the value of a position to the expected result of the game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arena.kernels.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_STEPS = 50
_PRIOR = 1.0
"""Weight of the prior, by which a typical score means odds of e to 1. The prior decides if there are few games."""


def slope(scores: ArrayLike, results: ArrayLike) -> float:
    """Return the k > 0 for which ``expected(score, k)`` fits the results best: logistic regression without a constant.

    ``scores`` are values of positions in any unit; ``results`` are the results of their games, 1, 0 or -1. Both are
    from the same point of view. The estimate is the maximum a posteriori, by Newton's method. The normal prior is on
    k times the median absolute value of the scores other than 0.
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


@kernel
def expected(score: float, k: float) -> float:
    """Return the expected result, from -1 to 1, of a position with this score: 2 / (1 + exp(-k score)) - 1."""
    result: float = np.tanh(k * score / 2)
    return result


@kernel
def cross_entropy(log_odds: float, target: float) -> tuple[float, float]:
    """Return -target log p - (1 - target) log(1 - p), and p, the probability with these log odds."""
    loss = max(log_odds, 0.0) + np.log1p(np.exp(-abs(log_odds))) - target * log_odds  # cannot overflow
    return loss, 1 / (1 + np.exp(-log_odds))


def expected_results(log_odds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the expected result, from -1 to 1, for each of the log odds."""
    results: np.ndarray[Any, Any] = np.tanh(log_odds / 2)
    return results


def probabilities(log_odds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the probability 1 / (1 + exp(-log odds)) for each of the log odds, without overflow."""
    return 0.5 + 0.5 * expected_results(log_odds)


def clipped_probabilities(log_odds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the same as :func:`probabilities`, but computed by the formula itself; log odds are clipped to ±50.

    The two functions differ in the last digit, and the learned weights depend on it. A learner must always use the same
    one.
    """
    clipped: np.ndarray[Any, Any] = 1 / (1 + np.exp(-np.clip(log_odds, -50, 50)))
    return clipped
