"""Intervals for proportions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from arena.statistics import wilson


@pytest.mark.parametrize(("wins", "n", "low", "high"), [(81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611)])
def test_wilson_gives_published_intervals(wins: int, n: int, low: float, high: float) -> None:
    assert wilson(wins, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_knows_nothing_without_games() -> None:
    assert wilson(0, 0) == (0, 1)


records = st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(records, st.floats(0.5, 0.999))
def test_wilson_agrees_with_scipy(record: tuple[int, int], confidence: float) -> None:
    expected = binomtest(*record).proportion_ci(confidence, method="wilson")
    assert wilson(*record, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(records)
def test_wilson_holds_the_proportion_and_is_symmetric(record: tuple[int, int]) -> None:
    wins, n = record
    low, high = wilson(wins, n)
    assert 0 <= low <= wins / n <= high <= 1
    assert (low == 0) == (wins == 0)
    assert (high == 1) == (wins == n)
    assert wilson(n - wins, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize(
    ("wins", "n", "confidence"), [(-1, 3, 0.95), (4, 3, 0.95), (0, -1, 0.95), (1, 3, 1), (1, 3, 0)]
)
def test_wilson_refuses_what_is_no_record(wins: int, n: int, confidence: float) -> None:
    with pytest.raises(ValueError, match=r"games|confidence"):
        wilson(wins, n, confidence)
