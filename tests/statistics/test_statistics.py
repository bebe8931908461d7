"""Intervals, Elo differences and sequential tests, compared with published numbers and SciPy."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from arena.statistics.elo import MatchCounts, elo_of, score_of
from arena.statistics.holm import holm
from arena.statistics.intervals import wilson
from arena.statistics.sprt import SPRT


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"), [(81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611), (20, 20, 0.8389, 1.0)]
)
def test_wilson_gives_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson(successes, trials) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@given(st.integers(1, 10_000), st.floats(0, 1), st.sampled_from([0.5, 0.95, 0.99]))
def test_wilson_agrees_with_scipy(trials: int, share: float, confidence: float) -> None:
    successes = round(share * trials)
    expected = stats.binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert wilson(successes, trials, confidence) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_elo_of_trinomial_counts() -> None:
    match = MatchCounts((96, 111, 136))
    assert (match.elo().value, match.elo().error) == (pytest.approx(40.70, abs=0.005), pytest.approx(30.43, abs=0.005))
    assert match.los == pytest.approx(0.9960, abs=5e-5)


def test_elo_of_pentanomial_counts() -> None:
    match = MatchCounts((34, 54, 63, 64, 75))
    elo, normalized = match.elo(), match.normalized_elo()
    assert (elo.value, elo.error) == (pytest.approx(55.58, abs=0.005), pytest.approx(27.65, abs=0.005))
    assert (normalized.value, normalized.error) == (
        pytest.approx(57.94, abs=0.005),
        pytest.approx(28.28, abs=0.005),
    )


def test_elo_of_perfect_and_even_matches() -> None:
    assert MatchCounts((0, 0, 10)).elo().value == MatchCounts((0, 0, 10)).normalized_elo().value == inf
    assert (MatchCounts((0, 0, 10)).los, MatchCounts((10, 0, 0)).los, MatchCounts((0, 10, 0)).los) == (1, 0, 0.5)
    assert MatchCounts((5, 3, 5)).elo().value == pytest.approx(0)


@given(st.floats(-1000, 1000))
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-6)


@given(st.lists(st.integers(1, 500), min_size=5, max_size=5))
def test_the_opponents_counts_give_the_opposite_result(counts: list[int]) -> None:
    one, other = MatchCounts(counts), MatchCounts(counts[::-1])
    assert one.elo().value == pytest.approx(-other.elo().value, abs=1e-6)
    assert one.los == pytest.approx(1 - other.los)
    assert SPRT(-3, 3).llr(counts) == pytest.approx(-SPRT(-3, 3).llr(counts[::-1]), abs=1e-6)


@pytest.mark.parametrize(
    ("test", "counts", "llr"),
    [
        (SPRT(0.5, 2.5, normalized=False), (223, 9863, 21279, 10037, 246), -3.0741),
        (SPRT(0, 2), (365, 16618, 36229, 16974, 390), 2.2504),
    ],
)
def test_published_log_likelihood_ratios(test: SPRT, counts: tuple[int, ...], llr: float) -> None:
    assert test.llr(counts) == pytest.approx(llr, abs=5e-5)


def test_bounds_and_verdicts() -> None:
    test = SPRT(0, 10)
    assert test.bounds == (pytest.approx(-2.944, abs=5e-4), pytest.approx(2.944, abs=5e-4))
    assert test.llr((0, 0, 0, 0, 0)) == 0
    assert test.verdict((0, 0, 1, 0, 0)) == "open"
    assert test.verdict((100, 500, 2000, 900, 400)) == "H1"
    assert test.verdict((400, 900, 2000, 500, 100)) == "H0"


@pytest.mark.parametrize("matches", [100, pytest.param(300, marks=pytest.mark.long)])
@pytest.mark.parametrize(("truth", "wrong"), [(0.0, "H1"), (60.0, "H0")])
def test_error_rates_are_at_most_alpha_and_beta(truth: float, wrong: str, matches: int) -> None:
    """The matches are simulated; the scores of pairs have the distribution of a real match of chess engines."""
    test = SPRT(0, 60)
    shape = np.array([0.02, 0.22, 0.52, 0.22, 0.02])
    scores = np.linspace(0, 1, 5)
    spread = np.sqrt((shape * (scores - 0.5) ** 2).sum())
    target = 0.5 + truth / (800 / np.log(10)) * np.sqrt(2) * spread
    tilt = shape * np.exp((target - 0.5) / spread**2 * (scores - 0.5))
    shares = tilt / tilt.sum()
    random = np.random.default_rng(3)
    mistakes = 0
    for _ in range(matches):
        counts = np.zeros(5)
        while (verdict := test.verdict(tuple(counts))) == "open":
            counts += random.multinomial(4, shares)
        mistakes += verdict == wrong
    assert mistakes <= stats.binom.ppf(0.999, matches, 0.05)


def test_holm_gives_the_adjusted_values_of_an_example() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_never_lowers_and_keeps_the_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    assert [a for _, a in sorted(zip(p_values, adjusted, strict=True))] == sorted(adjusted)
