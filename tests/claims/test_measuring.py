"""Means and intervals agree with SciPy."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from arena.training.duel import Score
from arena_claims.measuring import over_seeds, seed_columns, win_columns

SCORES = st.floats(0, 100)


@given(st.lists(SCORES, min_size=3, max_size=30))
def test_the_interval_over_seeds_is_student_t(values: list[float]) -> None:
    mean, low, high = over_seeds(values)
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), error) if error else (mean, mean)
    assert (low, high) == pytest.approx(expected, abs=1e-9)
    assert mean == pytest.approx(np.mean(values))


@given(st.lists(SCORES, min_size=1, max_size=2))
def test_fewer_than_three_seeds_have_no_interval(values: list[float]) -> None:
    mean, low, high = over_seeds(values)
    assert mean == pytest.approx(np.mean(values))
    assert isnan(low)
    assert isnan(high)


def test_no_seeds_have_no_mean() -> None:
    assert all(map(isnan, over_seeds([])))


def test_columns_have_the_name_of_the_measure() -> None:
    assert seed_columns("score", [1.0, 2.0, 3.0]) == pytest.approx(
        {"score": 2.0, "score_low": 2 - 2.484138, "score_high": 2 + 2.484138}
    )
    expected = stats.binomtest(7, 10).proportion_ci(method="wilson")
    assert win_columns(Score(7, 2, 1)) == pytest.approx(
        {"win_low": 100 * expected.low, "win_high": 100 * expected.high}, rel=1e-5
    )
