"""Aggregate statistics over training seeds.

Scores are arrays of the shape (seeds, opponents). The scores of single pairs of games, which share an opening, are
counted in :class:`PairScores`. The unit of the statistics is the training seed, because all games of a seed depend on
the same training run.

The interquartile mean and the probability of improvement are those of R. Agarwal, M. Schwarzer, P. S. Castro,
A. Courville and M. G. Bellemare, *Deep Reinforcement Learning at the Edge of the Statistical Precipice*, 2021, sections
4.1 to 4.3. Their tasks are our opponents. The intervals are not their stratified bootstrap: :func:`two_level_interval`
also resamples the pairs of games, and both intervals keep the opponents of a seed together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Statistic = Callable[[Floats], Floats]
    """Takes scores of the shape (..., seeds, opponents) and returns one value for each leading index."""

FEWEST_SEEDS = 5
"""Smallest number of training seeds for which intervals are computed."""
REPETITIONS = 2000
"""Number of bootstrap samples."""
_CUT = 0.25
"""Share of the scores that the interquartile mean leaves out at each end."""


@dataclass(frozen=True, slots=True)
class PairScores:
    """The scores of pairs of games as counts, so that memory does not grow with the number of games."""

    counts: np.ndarray[Any, np.dtype[np.int64]]
    """Number of pairs with each value: (seeds, opponents, values). Every opponent has at least one pair."""
    values: Floats
    """The possible scores of a pair, 0 to 1: (values,)."""

    @property
    def means(self) -> Floats:
        """The mean score of each seed against each opponent: (seeds, opponents)."""
        means: Floats = self.counts @ self.values / self.counts.sum(axis=-1)
        return means


def interquartile_mean(scores: Floats) -> Floats:
    """Return the mean of the middle half of the scores over the last two axes, seeds and opponents.

    Of n scores, ``int(n / 4)`` are left out at each end.
    """
    flat = np.sort(scores.reshape(*scores.shape[:-2], -1), axis=-1)
    cut = int(_CUT * flat.shape[-1])
    middle: Floats = flat[..., cut : flat.shape[-1] - cut].mean(axis=-1)
    return middle


def two_level_interval(
    scores: PairScores,
    statistic: Statistic = interquartile_mean,
    *,
    seed: int = 0,
    repetitions: int = REPETITIONS,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Return the percentile interval of a statistic of the mean scores.

    Each bootstrap sample draws seeds with replacement, and then pairs with replacement within each drawn seed and
    opponent. The numbers of drawn pairs with each value have a multinomial distribution. So the interval covers the
    chance in training and the chance in the measuring games. Returns (nan, nan) with fewer than five seeds.
    """
    seeds = len(scores.counts)
    if seeds < FEWEST_SEEDS:
        return np.nan, np.nan
    generator = np.random.default_rng(seed)
    drawn = scores.counts[generator.integers(seeds, size=(repetitions, seeds))]
    number = drawn.sum(axis=-1)
    counts = generator.multinomial(number, drawn / number[..., None])
    return _percentiles(statistic(counts @ scores.values / number), confidence)


def probability_of_improvement(first: Floats, second: Floats) -> float:
    """Return the probability, 0 to 1, that a run of the first learner scores more than a run of the second.

    A tie counts half. ``first`` and ``second`` have the shape (seeds, opponents); their numbers of seeds may differ.
    The result is the mean over the opponents.
    """
    return float(_improvements(first, second))


def improvement_interval(
    first: Floats, second: Floats, *, seed: int = 0, repetitions: int = REPETITIONS, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the percentile interval of :func:`probability_of_improvement`.

    Each bootstrap sample draws seeds of both learners with replacement. Returns (nan, nan) if a learner has fewer than
    five seeds.
    """
    if min(len(first), len(second)) < FEWEST_SEEDS:
        return np.nan, np.nan
    generator = np.random.default_rng(seed)
    one = first[generator.integers(len(first), size=(repetitions, len(first)))]
    other = second[generator.integers(len(second), size=(repetitions, len(second)))]
    return _percentiles(_improvements(one, other), confidence)


def _improvements(first: Floats, second: Floats) -> Floats:
    """See :func:`probability_of_improvement`. Leading axes of the scores are kept."""
    difference = first[..., :, None, :] - second[..., None, :, :]
    shares: Floats = (np.sign(difference).mean(axis=(-3, -2, -1)) + 1) / 2
    return shares


def difference_p_value(first: Floats, second: Floats, *, seed: int = 0) -> float:
    """Return the two-sided p-value of the hypothesis that two learners have the same mean score.

    ``first`` and ``second`` have one score per seed. The test permutes the seeds between the learners: all divisions if
    there are at most 10,000, else 10,000 random ones. Returns nan if a learner has fewer than two seeds.
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
    """Return the mean score while learning: the area under the line through the checkpoints, divided by the games.

    From game 0 to the first checkpoint, the line has the score of the first checkpoint.
    """
    xs, ys = np.array([0, *games], dtype=np.float64), np.array([scores[0], *scores], dtype=np.float64)
    return float(np.trapezoid(ys, xs) / xs[-1])


def first_reached(games: Sequence[float], scores: Sequence[float], score: float) -> float:
    """Return the number of games after which a score is first reached; nan if it never is.

    The score is interpolated linearly between checkpoints.
    """
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
