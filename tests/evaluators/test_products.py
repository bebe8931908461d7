"""Matrix products agree with NumPy's and compute sums in one order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_evaluators.products import product

sizes = st.integers(0, 40)


def matrix(rows: int, columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)


def in_order(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The definition: each product exact in float64, each sum rounded to float32."""
    sums = np.zeros((len(a), b.shape[1]), np.float32)
    for term in range(len(b)):
        sums = (sums + a[:, term, None].astype(np.float64) * b[None, term]).astype(np.float32)
    return sums


@given(sizes, sizes, st.integers(1, 40), st.integers(0, 2**32))
def test_products_agree_with_numpy(n: int, k: int, m: int, seed: int) -> None:
    a, b = matrix(n, k, seed), matrix(k, m, seed + 1)
    np.testing.assert_allclose(product(a, b), a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)


def test_sums_run_in_order_and_are_rounded_once_per_term() -> None:
    a, b = matrix(37, 100, 1), matrix(100, 21, 2)
    # If the terms of a sum differ much in size, float64 rounds it before float32 does.
    differing = (product(a, b) != in_order(a, b)).mean()
    assert differing < 1e-3


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 100])
def test_the_bits_of_a_row_do_not_depend_on_the_other_rows(rows: int) -> None:
    a, b = matrix(300, 64, 3), matrix(64, 33, 4)
    whole = product(a, b)
    for start in range(0, 200, 13):
        assert product(a[start : start + rows], b).tobytes() == whole[start : start + rows].tobytes()
    assert product(a, np.ascontiguousarray(b[:, :5])).tobytes() == np.ascontiguousarray(whole[:, :5]).tobytes()


@pytest.mark.parametrize("offset", range(1, 16, 3))
def test_the_bits_of_a_product_do_not_depend_on_alignment(offset: int) -> None:
    a, b = matrix(50, 20, 5), matrix(20, 30, 6)
    moved = []
    for original in (a, b):
        room = np.zeros(original.size + 16, np.float32)
        view = room[offset : offset + original.size].reshape(original.shape)
        view[:] = original
        moved.append(view)
    assert product(*moved).tobytes() == product(a, b).tobytes()


def test_a_transposed_view_has_the_same_product_as_its_copy() -> None:
    a, b = matrix(20, 50, 7), matrix(30, 20, 8)
    expected = product(np.ascontiguousarray(a.T), np.ascontiguousarray(b.T))
    assert product(a.T, b.T).tobytes() == expected.tobytes()
