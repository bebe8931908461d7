"""Training examples of the critic for linear functions of the board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import arena
from arena_evaluators.linear import FEATURES

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Training examples ⟨b, V_train(b)⟩."""

    features: np.ndarray
    """x0..x6 of each board for the learner: float64, (n, 7)."""
    values: np.ndarray
    """V_train for the learner: float64, (n,)."""
    plies: np.ndarray
    """Number of moves played before each board: int64, (n,)."""

    @classmethod
    def joined(cls, sets: Sequence[Examples]) -> Examples:
        """Return the examples of several sets in the order of the game. Each set must be in that order."""
        whole, *others = sets
        for other in others:
            parts = (
                part for examples in (whole, other) for part in (examples.features, examples.values, examples.plies)
            )
            whole = cls(*_merged(*parts))
        return whole

    def last(self, number: int) -> Examples:
        """Return the last ``number`` examples."""
        return Examples(self.features[-number:], self.values[-number:], self.plies[-number:])


@arena.kernel
def _merged(
    x1: np.ndarray, values1: np.ndarray, plies1: np.ndarray, x2: np.ndarray, values2: np.ndarray, plies2: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge two sets by ply. At the same ply, the examples of the first set come first."""
    n1, n2 = len(plies1), len(plies2)
    x, values, plies = np.empty((n1 + n2, FEATURES)), np.empty(n1 + n2), np.empty(n1 + n2, dtype=np.int64)
    i = j = 0
    for k in range(n1 + n2):
        if j == n2 or (i < n1 and plies1[i] <= plies2[j]):
            for feature in range(FEATURES):
                x[k, feature] = x1[i, feature]
            values[k], plies[k] = values1[i], plies1[i]
            i += 1
        else:
            for feature in range(FEATURES):
                x[k, feature] = x2[j, feature]
            values[k], plies[k] = values2[j], plies2[j]
            j += 1
    return x, values, plies
