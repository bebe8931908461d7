"""Matrix products that compute every sum in one fixed order, so that training is reproducible.

BLAS divides a large product among threads. The order of its sums depends on the number of threads and on the shapes of
the matrices. The last bits of the sums can differ, and with them everything learned. Here each sum runs from its first
term to its last with fused multiply-adds, each rounded once.
"""

from __future__ import annotations

import numpy as np

import arena
from arena_evaluators.vectors import BYTES, LANES, broadcast, fused_multiply_add, load, store, zero

_ROWS = 8
"""Rows computed at a time. Independent sums use the processor's pipelines in parallel."""


@arena.kernel
def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``a @ b`` of float32 matrices (n, k) and (k, m): float32, (n, m)."""
    n, k, m = len(a), len(b), b.shape[1]
    vectors = (m + LANES - 1) // LANES
    padded = np.zeros((k, vectors * LANES), np.float32)
    for i in range(k):
        for j in range(m):
            padded[i, j] = b[i, j]
    sums = np.empty((n, vectors * LANES), np.float32)
    row, column = a.strides
    width = BYTES * vectors
    for vector in range(vectors):
        for i in range(0, n, _ROWS):
            left = a.ctypes.data + i * row
            right = padded.ctypes.data + vector * BYTES
            out = sums.ctypes.data + i * width + vector * BYTES
            if i + _ROWS <= n:
                _eight(left, row, column, right, width, k, out)
            else:
                for r in range(n - i):
                    _one(left + r * row, column, right, width, k, out + r * width)
    result = np.empty((n, m), np.float32)
    for i in range(n):
        for j in range(m):
            result[i, j] = sums[i, j]
    return result


@arena.kernel
def _eight(left: int, row: int, column: int, right: int, width: int, terms: int, out: int) -> None:
    a, b, c, d, e, f, g, h = zero(), zero(), zero(), zero(), zero(), zero(), zero(), zero()
    for _ in range(terms):
        factor = load(right)
        a = fused_multiply_add(broadcast(left), factor, a)
        b = fused_multiply_add(broadcast(left + row), factor, b)
        c = fused_multiply_add(broadcast(left + 2 * row), factor, c)
        d = fused_multiply_add(broadcast(left + 3 * row), factor, d)
        e = fused_multiply_add(broadcast(left + 4 * row), factor, e)
        f = fused_multiply_add(broadcast(left + 5 * row), factor, f)
        g = fused_multiply_add(broadcast(left + 6 * row), factor, g)
        h = fused_multiply_add(broadcast(left + 7 * row), factor, h)
        left += column
        right += width
    store(out, a)
    store(out + width, b)
    store(out + 2 * width, c)
    store(out + 3 * width, d)
    store(out + 4 * width, e)
    store(out + 5 * width, f)
    store(out + 6 * width, g)
    store(out + 7 * width, h)


@arena.kernel
def _one(left: int, column: int, right: int, width: int, terms: int, out: int) -> None:
    total = zero()
    for _ in range(terms):
        total = fused_multiply_add(broadcast(left), load(right), total)
        left += column
        right += width
    store(out, total)
