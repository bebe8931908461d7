"""Solver of linear equations whose result does not depend on the number of threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def solve(matrix: Floats, right: Floats) -> Floats:
    """Return the x (n, m) with ``matrix`` x = ``right``; ``matrix`` (n, n) is symmetric and positive definite.

    The method is Gaussian elimination; such a matrix needs no pivoting. LAPACK is not used because it splits sums among
    threads: the last bits of its solutions depend on the number of threads.
    """
    size = len(matrix)
    table = np.hstack([matrix, right])  # (n, n + m)
    for i in range(size):
        table[i, i + 1 :] /= table[i, i]
        table[i + 1 :, i + 1 :] -= table[i + 1 :, i, None] * table[i, i + 1 :]
    x: Floats = table[:, size:]
    for i in range(size - 1, 0, -1):
        x[:i] -= table[:i, i, None] * x[i]
    return x
