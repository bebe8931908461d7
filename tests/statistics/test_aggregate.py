"""Aggregate statistics over training seeds, against rliable 1.2.0, SciPy and hand-made cases."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import mannwhitneyu, trim_mean

from arena.statistics.aggregate import (
    PairScores,
    area_under_curve,
    difference_p_value,
    first_reached,
    improvement_interval,
    interquartile_mean,
    probability_of_improvement,
    two_level_interval,
)

X = np.array(
    [
        *([0.777, 0.682, 0.607], [0.75, 0.906, 0.564], [0.925, 0.858, 0.503], [0.717, 0.931, 0.459]),
        *([0.5, 0.701, 0.747], [0.641, 0.901, 0.501], [0.837, 0.871, 0.88], [0.586, 0.646, 0.737]),
        *([0.666, 0.92, 0.804], [0.79, 0.777, 0.834]),
    ]
)
Y = np.array(
    [
        *([0.318, 0.66, 0.936], [0.843, 0.665, 0.824], [0.667, 0.647, 0.791], [0.541, 0.61, 0.749]),
        *([0.756, 0.621, 0.767], [0.648, 0.831, 0.795], [0.63, 0.708, 0.56], [0.658, 0.972, 0.686]),
        *([0.676, 0.677, 0.769], [0.524, 0.506, 0.352]),
    ]
)
SCORES = arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=st.floats(0, 1, width=32))


def counted(pairs: np.ndarray[Any, Any]) -> PairScores:
    """The scores of the shape (seeds, opponents, pairs) as counts."""
    values = np.unique(pairs)
    return PairScores((pairs[..., None] == values).sum(axis=2), values)


@given(arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 3), st.integers(1, 9)), elements=st.floats(0, 1)))
def test_counts_of_pairs_have_the_mean_scores_of_the_pairs(pairs: np.ndarray[Any, Any]) -> None:
    assert counted(pairs).means == pytest.approx(pairs.mean(axis=2))


def test_the_interval_is_that_of_a_bootstrap_that_draws_single_pairs() -> None:
    generator = np.random.default_rng(5)
    pairs = generator.integers(0, 5, size=(7, 3, 20)) / 4
    drawn = pairs[generator.integers(7, size=(20_000, 7))]
    within = generator.integers(20, size=drawn.shape)
    means = interquartile_mean(np.take_along_axis(drawn, within, axis=3).mean(axis=3))
    expected = np.percentile(means, [2.5, 97.5])
    assert two_level_interval(counted(pairs), repetitions=20_000) == pytest.approx(tuple(expected), abs=0.003)


def test_point_estimates_are_those_of_rliable() -> None:
    assert interquartile_mean(X) == pytest.approx(0.74775, abs=1e-9)
    assert probability_of_improvement(X, Y) == pytest.approx(0.6166667, abs=1e-6)


def test_the_two_level_interval_of_exact_scores_is_that_of_rliable() -> None:
    """With one opponent and one pair of games, it is the stratified bootstrap of one task.

    rliable 1.2.0 with 50,000 samples: 0.6353 to 0.8013.
    """
    scores = X[:, :1]
    assert interquartile_mean(scores) == pytest.approx(0.7235, abs=1e-9)
    low, high = two_level_interval(counted(scores[:, :, None]), repetitions=50_000)
    assert low == pytest.approx(0.6353, abs=0.002)
    assert high == pytest.approx(0.8013, abs=0.002)


def test_the_interval_of_the_probability_of_improvement_is_close_to_that_of_rliable() -> None:
    """rliable 1.2.0 with 2,000 samples, stratified by task: 0.473 to 0.750; ours keeps the tasks of a seed together."""
    low, high = improvement_interval(X, Y)
    assert low == pytest.approx(0.473, abs=0.05)
    assert high == pytest.approx(0.750, abs=0.05)


@given(SCORES)
def test_the_interquartile_mean_is_the_trimmed_mean_of_scipy(scores: np.ndarray[Any, Any]) -> None:
    assert interquartile_mean(scores) == pytest.approx(trim_mean(scores.ravel(), 0.25))


@given(SCORES, SCORES)
def test_the_probability_of_improvement_is_the_mann_whitney_statistic(
    first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]
) -> None:
    one, other = first[:, :1], second[:, :1]
    expected = mannwhitneyu(one[:, 0], other[:, 0]).statistic / (len(one) * len(other))
    assert probability_of_improvement(one, other) == pytest.approx(expected)


def test_the_two_level_interval_covers_the_chance_of_seeds_and_of_games() -> None:
    generator = np.random.default_rng(3)
    seeds = generator.normal(0.6, 0.05, size=(12, 1, 1))
    exact = np.broadcast_to(seeds, (12, 2, 400))
    noisy = (generator.random((12, 2, 10)) < seeds).astype(np.float64)
    exact_low, exact_high = two_level_interval(counted(exact))
    noisy_low, noisy_high = two_level_interval(counted(noisy))
    assert noisy_high - noisy_low > 2 * (exact_high - exact_low)
    mean_low, mean_high = two_level_interval(counted(exact), lambda scores: scores.mean(axis=(-2, -1)))
    standard_error = seeds.std() / np.sqrt(12)
    assert mean_high - mean_low == pytest.approx(2 * 1.96 * standard_error, rel=0.1)


def test_the_two_level_interval_covers_the_true_score_as_often_as_it_says() -> None:
    """Simulated: 60 experiments of 8 seeds with known means; 95 % intervals miss at most 9 (P < 0.003 at 5 %)."""
    generator = np.random.default_rng(11)
    missed = 0
    for number in range(60):
        means = generator.normal(0.6, 0.08, size=(8, 1, 1))
        pairs = generator.binomial(4, np.clip(means, 0, 1), size=(8, 2, 20)) / 4
        low, high = two_level_interval(counted(pairs), seed=number, repetitions=400)
        missed += not low <= 0.6 <= high
    assert missed <= 9


def test_few_seeds_have_no_interval() -> None:
    assert all(map(isnan, two_level_interval(counted(np.ones((4, 1, 6))))))
    assert all(map(isnan, improvement_interval(X[:4], Y)))
    assert isnan(difference_p_value(X[:1, 0], Y[:, 0]))


def test_the_p_value_of_all_divisions() -> None:
    """Of 252 divisions of 10 seeds, 2 have a difference as large as that of two separate groups."""
    assert difference_p_value(np.arange(5.0), np.arange(10.0, 15.0)) == pytest.approx(2 / 252)
    assert difference_p_value(np.ones(5), np.ones(5)) == 1.0


def test_equal_learners_are_seldom_different() -> None:
    generator = np.random.default_rng(5)
    found = sum(difference_p_value(*generator.normal(size=(2, 6))) < 0.05 for _ in range(200))
    assert found <= 20  # 10 are expected; P(more than 20) < 0.002


def test_the_area_under_a_line() -> None:
    assert area_under_curve([10], [70.0]) == 70.0
    assert area_under_curve([10, 30], [20.0, 40.0]) == pytest.approx((10 * 20 + 20 * 30) / 30)


def test_games_to_reach_a_score() -> None:
    games, scores = [10, 20, 30], [40.0, 60.0, 50.0]
    assert first_reached(games, scores, 30.0) == 10
    assert first_reached(games, scores, 50.0) == 15
    assert isnan(first_reached(games, scores, 61.0))
