"""The logistic function: expected results from scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

from arena.search.logistic import clipped_probabilities, cross_entropy, expected, expected_results, probabilities, slope


@pytest.mark.parametrize("true", [0.02, 1.0, 30.0])
def test_the_slope_of_simulated_results_is_recovered(true: float) -> None:
    random = np.random.default_rng(1)
    scores = random.normal(0, 1.5 / true, 20_000)
    won = random.random(20_000) < 1 / (1 + np.exp(-true * scores))
    assert slope(scores, np.where(won, 1, -1)) == pytest.approx(true, rel=0.05)


def test_the_slope_maximises_the_posterior() -> None:
    random = np.random.default_rng(2)
    scores, results = random.normal(0, 3, 200), random.integers(-1, 2, 200)
    size = np.median(np.abs(scores))

    def loss(k: float) -> float:
        chances = (1 + results) / 2
        logits = k * scores
        return float((np.logaddexp(0, logits) - chances * logits).sum() + (k * size - 1) ** 2 / 2)

    assert slope(scores, results) == pytest.approx(minimize_scalar(loss, (0.001, 1)).x, rel=1e-4)


def test_few_or_perfect_results_give_a_finite_slope() -> None:
    assert slope([], []) == slope([0.0, 0.0], [1, -1]) == 1.0
    assert 0 < slope([1.0, -1.0], [1, -1]) < 10
    assert 0 < slope([1.0] * 1000, [-1] * 1000) < 1
    assert np.isfinite(slope([1.0, 1e6], [1, 1]))


def test_expected_results_of_zero_moderate_and_huge_scores() -> None:
    assert expected(0.0, 2.0) == 0.0
    assert expected(1.5, 2.0) == pytest.approx(2 / (1 + np.exp(-3.0)) - 1)
    assert expected(1e9, 1.0) == -expected(-1e9, 1.0) == 1.0


@pytest.mark.parametrize("score", [-700.0, -3.0, -0.01, 0.0, 0.5, 40.0])
def test_all_versions_of_the_logistic_function_agree_with_scipy(score: float) -> None:
    p = expit(score)
    array = np.array([score])
    assert probabilities(array)[0] == pytest.approx(p, abs=1e-15)
    assert clipped_probabilities(array)[0] == pytest.approx(p, abs=1e-15)
    assert expected_results(array)[0] == pytest.approx(2 * p - 1, abs=1e-15) == expected(score, 1.0)
    assert cross_entropy(score, 0.25) == pytest.approx((-0.25 * log_expit(score) - 0.75 * log_expit(-score), p))
