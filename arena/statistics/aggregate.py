"""Aggregate statistics over training seeds.

Scores lie in an array of the shape (seeds, opponents), or (seeds, opponents, pairs) where each pair of games with one
opening counts apart. The training seed is the unit: the players of one seed share what they learned.

The interquartile mean, the bootstrap stratified by task (our tasks are the opponents), and the probability of
improvement are those of R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville and M. G. Bellemare, *Deep Reinforcement
Learning at the Edge of the Statistical Precipice*, 2021, sections 4.1 to 4.3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Statistic = Callable[[Floats], Floats]
    """Takes scores of the shape (..., seeds, opponents) and returns one value for each leading index."""

FEWEST_SEEDS = 5
"""With fewer seeds than these there are no intervals."""
REPETITIONS = 2000
"""Bootstrap samples."""
_CUT = 0.25
"""Share of the scores that the interquartile mean leaves out at either end."""


def interquartile_mean(scores: Floats) -> Floats:
    """The mean of the middle half of the scores over the last two axes, seeds and opponents.

    ``int(n / 4)`` of n scores are left out at either end.
    """
    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = int(_CUT * flat.shape[-1])
    middle: Floats = flat[..., cut : flat.shape[-1] - cut].mean(axis=-1)
    return middle


def stratified_interval(
    scores: Floats,
    statistic: Statistic = interquartile_mean,
    *,
    seed: int = 0,
    repetitions: int = REPETITIONS,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The percentile interval of a statistic of scores of the shape (seeds, opponents).

    Each bootstrap sample draws seeds with replacement, for each opponent apart. Scores count as exact.
    """
    generator = np.random.default_rng(seed)
    seeds, opponents = scores.shape
    drawn = generator.integers(seeds, size=(repetitions, seeds, opponents))
    return _percentiles(statistic(scores[drawn, np.arange(opponents)]), confidence)


def two_level_interval(
    pairs: Floats,
    statistic: Statistic = interquartile_mean,
    *,
    seed: int = 0,
    repetitions: int = REPETITIONS,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """The percentile interval of a statistic of scores of the shape (seeds, opponents, pairs).

    Each bootstrap sample draws seeds with replacement, and then pairs within each seed and opponent. So the interval
    covers the chance of training and the chance of the games that measure. (nan, nan) with fewer than five seeds.
    """
    seeds, _, number = pairs.shape
    if seeds < FEWEST_SEEDS:
        return np.nan, np.nan
    generator = np.random.default_rng(seed)
    values = []
    for _ in range(repetitions):
        drawn = pairs[generator.integers(seeds, size=seeds)]
        within = generator.integers(number, size=drawn.shape)
        values.append(statistic(np.take_along_axis(drawn, within, axis=2).mean(axis=2)))
    return _percentiles(np.array(values), confidence)


def probability_of_improvement(first: Floats, second: Floats) -> float:
    """How likely a run of the first learner scores more than a run of the second, a tie counting half.

    Scores of the shapes (seeds, opponents) and (other seeds, opponents); the mean over the opponents, 0 to 1.
    """
    above = (first[:, None, :] > second[None, :, :]).mean(axis=(0, 1))
    equal = (first[:, None, :] == second[None, :, :]).mean(axis=(0, 1))
    return float((above + equal / 2).mean())


def improvement_interval(
    first: Floats, second: Floats, *, seed: int = 0, repetitions: int = REPETITIONS, confidence: float = 0.95
) -> tuple[float, float]:
    """The percentile interval of :func:`probability_of_improvement`; (nan, nan) with fewer than five seeds."""
    if min(len(first), len(second)) < FEWEST_SEEDS:
        return np.nan, np.nan
    generator = np.random.default_rng(seed)
    values = [
        probability_of_improvement(
            first[generator.integers(len(first), size=len(first))],
            second[generator.integers(len(second), size=len(second))],
        )
        for _ in range(repetitions)
    ]
    return _percentiles(np.array(values), confidence)


def difference_p_value(first: Floats, second: Floats, *, seed: int = 0) -> float:
    """The two-sided p-value of no difference between the mean scores of two learners.

    ``first`` and ``second`` have a score for each seed. A permutation test over the seeds: exact if there are at most
    10,000 ways to divide them, else by 10,000 random ones. nan with fewer than two seeds for a learner.
    """
    from scipy.stats import permutation_test

    if min(len(first), len(second)) < 2:
        return np.nan
    if np.ptp(np.concatenate([first, second])) == 0:
        return 1.0
    result = permutation_test(
        (first, second),
        lambda one, other, axis: one.mean(axis=axis) - other.mean(axis=axis),
        vectorized=True,
        n_resamples=10_000,
        rng=np.random.default_rng(seed),
    )
    return float(result.pvalue)


def area_under_curve(games: Sequence[int], scores: Sequence[float]) -> float:
    """The mean score while learning: the area under the line through the checkpoints, divided by the games.

    The score of the first checkpoint also stands for the games before it.
    """
    xs, ys = np.array([0, *games], dtype=np.float64), np.array([scores[0], *scores], dtype=np.float64)
    return float(np.trapezoid(ys, xs) / xs[-1])


def first_reached(games: Sequence[float], scores: Sequence[float], score: float) -> float:
    """The games after which a score is reached first, linearly between checkpoints; nan if it never is."""
    for number, (now, value) in enumerate(zip(games, scores, strict=True)):
        if value >= score:
            if number == 0:
                return float(now)
            before, earlier = games[number - 1], scores[number - 1]
            return float(before + (now - before) * (score - earlier) / (value - earlier))
    return np.nan


def _percentiles(values: Floats, confidence: float) -> tuple[float, float]:
    low, high = np.percentile(values, [50 * (1 - confidence), 50 * (1 + confidence)])
    return float(low), float(high)
