"""The rule by which LMS changes its weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_learners.examples import Examples
from arena_learners.lms import Generalizer, lms
from lms_games import W

B0 = np.array([1.0, 8, 7, 2, 1, 1, 2])
B1 = np.array([1.0, 7, 6, 2, 1, 0, 3])
ASSUMED = 8.0
"""V̂(b0) in the text's worked example."""


def one(x: np.ndarray, value: float) -> Examples:
    return Examples(np.array([x]), np.array([value]), np.array([0]))


def test_the_worked_examples_weights_give_7_where_the_text_assumes_8() -> None:
    assert W @ B1 == 9.5
    assert W @ B0 == 7.0 != ASSUMED
    weights = W.copy()
    Generalizer(weights, rate=0.1, normalised=False).update(one(B0, 9.5))
    assert weights[1] == pytest.approx(3.0), "the text has 2.2"


def test_the_raw_rule_gives_the_worked_update() -> None:
    """The text's error of 1.5, which follows from its assumed value, with rate 0.1."""
    weights = W.copy()
    error = 9.5 - ASSUMED
    metrics = Generalizer(weights, rate=0.1, normalised=False).update(one(B0, float(W @ B0) + error))
    assert weights == pytest.approx([0.65, 2.2, 0.05, 2.3, -0.35, -0.85, 1.8])
    assert metrics == {"squared_error": 1.5**2 / 2, "gain": pytest.approx(0.1 * (B0 @ B0))}


def test_the_normalised_rule_divides_the_worked_update_by_z() -> None:
    weights = W.copy()
    metrics = Generalizer(weights, rate=0.1).update(one(B0, float(W @ B0) + 9.5 - ASSUMED))
    assert weights[1] == pytest.approx(1.054545, abs=1e-6)
    assert metrics["gain"] == pytest.approx(0.1 * (B0 @ B0) / 22)


def test_a_won_board_updates_zero_weights() -> None:
    weights = np.zeros(7)
    won = np.array([1.0, 3, 0, 1, 0, 0, 0])
    Generalizer(weights, rate=0.1).update(one(won, 100.0))
    assert weights == pytest.approx([2, 6, 0, 2, 0, 0, 0])
    assert weights @ won == pytest.approx(22)


counts = st.lists(st.integers(0, 12), min_size=6, max_size=6).map(lambda x: np.array([1.0, *x]))


reals = st.floats(-100, 100)


@given(counts, st.lists(reals, min_size=7, max_size=7), reals, st.booleans(), st.sampled_from([4, 6]))
def test_only_weights_of_features_that_occur_change(
    x: np.ndarray, start: list[float], value: float, normalised: bool, features: int
) -> None:
    weights = np.array(start)
    metrics = Generalizer(weights, 0.1, None, normalised, features).update(one(x, value))
    used = np.arange(7) <= features
    error = value - np.array(start)[used] @ x[used]
    assert metrics["squared_error"] == pytest.approx(error**2 / 2)
    z = x[used].sum() if normalised else 1
    assert weights == pytest.approx(np.array(start) + 0.1 * error * x * used / z)
    assert np.array_equal(weights[(x == 0) | ~used], np.array(start)[(x == 0) | ~used])


@given(counts, st.lists(st.integers(-100, 100), min_size=7, max_size=7))
def test_an_example_without_error_changes_nothing(x: np.ndarray, start: list[int]) -> None:
    weights = np.array(start, dtype=float)
    Generalizer(weights).update(one(x, float(weights @ x)))
    assert np.array_equal(weights, start)


@given(counts, reals, st.floats(0.01, 1))
def test_gain_is_the_share_of_the_error_that_an_update_removes(x: np.ndarray, value: float, rate: float) -> None:
    weights = np.zeros(7)
    gain = Generalizer(weights, rate).update(one(x, value))["gain"]
    assert value - weights @ x == pytest.approx((1 - gain) * value, abs=1e-6)


def test_the_rate_decays_with_the_number_of_examples() -> None:
    weights = np.zeros(7)
    generalizer = Generalizer(weights, rate=0.5, tau=10.0, normalised=False)
    bias = np.eye(7)[0]
    for t in range(30):
        before = weights[0]
        generalizer.update(one(bias, before + 1.0))
        assert weights[0] - before == pytest.approx(0.5 / (1 + t / 10))


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([np.inf, 10.0]))
def test_the_compiled_rule_equals_the_plain_rule(seed: int, normalised: bool, tau: float) -> None:
    random = np.random.default_rng(seed)
    x = np.column_stack([np.ones(9), random.integers(0, 13, (9, 6))])
    values, start = random.normal(0, 50, 9), random.normal(0, 5, 7)
    compiled, plain = start.copy(), start.copy()
    arguments = x, values, normalised, 0.01, tau, 3
    assert lms(compiled, *arguments) == lms.py_func(plain, *arguments)  # type: ignore[attr-defined]
    assert np.array_equal(compiled, plain)
