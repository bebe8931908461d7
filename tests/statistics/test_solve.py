"""The solver of linear equations, compared with LAPACK."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arena.statistics.solve import solve


@given(st.integers(1, 30), st.integers(1, 5), st.integers(0, 2**32))
def test_solutions_agree_with_lapack(size: int, columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    factor = random.normal(size=(size, size))
    matrix, right = factor @ factor.T + np.eye(size), random.normal(size=(size, columns))
    np.testing.assert_allclose(solve(matrix, right), np.linalg.solve(matrix, right), rtol=1e-6, atol=1e-9)


def test_solve_does_not_change_its_arguments() -> None:
    matrix, right = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([[1.0], [2.0]])
    np.testing.assert_allclose(solve(matrix, right), [[1 / 11], [7 / 11]])
    assert matrix.tolist() == [[4, 1], [1, 3]]
    assert right.tolist() == [[1], [2]]
