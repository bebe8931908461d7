"""The logistic function: from the value of a position to the expected result of its game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from arena.kernels.compiled import kernel

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


@kernel
def expected(score: float, k: float) -> float:
    """The expected result, from -1 to 1, of a position of that value: 2 / (1 + exp(-k score)) - 1."""
    result: float = np.tanh(k * score / 2)
    return result


@kernel
def cross_entropy(log_odds: float, target: float) -> tuple[float, float]:
    """-target log p - (1 - target) log(1 - p), and the probability p that the log odds stand for."""
    loss = max(log_odds, 0.0) + np.log1p(np.exp(-abs(log_odds))) - target * log_odds  # cannot overflow
    return loss, 1 / (1 + np.exp(-log_odds))


def expected_results(log_odds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The expected result, from -1 to 1, for each of the log odds."""
    results: np.ndarray[Any, Any] = np.tanh(log_odds / 2)
    return results


def probabilities(log_odds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same from 0 to 1: 1 / (1 + exp(-log odds)), without overflow."""
    return 0.5 + 0.5 * expected_results(log_odds)


def clipped_probabilities(log_odds: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """:func:`probabilities` by the formula itself, for log odds within ±50.

    The two differ in the last digit, on which what a seed learns depends. So a learner keeps to one of them.
    """
    clipped: np.ndarray[Any, Any] = 1 / (1 + np.exp(-np.clip(log_odds, -50, 50)))
    return clipped
