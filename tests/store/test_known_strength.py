"""Simulated games of players with known strength: better ones are found, and equal ones are seldom told apart.

The simulated results go through the same functions as those of recorded games.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from arena.statistics.aggregate import PairScores, interquartile_mean
from arena.statistics.elo import MatchCounts
from arena.store.comparisons import rows
from arena.store.experiment_tables import aggregate, compare_learners
from arena.store.measured import MeasuredExperiment, Scores

if TYPE_CHECKING:
    from collections.abc import Mapping

OPPONENTS = np.array([-200.0, 0.0, 150.0])
"""Strengths of the fixed opponents, in Elo units."""
SPREAD = 40.0
"""Standard deviation of the strengths of a learner's training seeds."""
DRAWS = 0.3
PAIRS = 10
LEVEL = 0.05


def results_of(generator: np.random.Generator, differences: Any, pairs: int) -> Any:
    """The numbers of pairs of games with 0 to 4 half points, for each difference in strength: shape (..., 5)."""
    expected = 1 / (1 + 10 ** (-np.asarray(differences) / 400))
    draws = DRAWS * 2 * np.minimum(expected, 1 - expected)
    shares = np.stack([1 - expected - draws / 2, draws, expected - draws / 2], axis=-1)
    games = (generator.random((2, pairs, *shares.shape[:-1], 1)) > shares.cumsum(axis=-1)[..., :-1]).sum(axis=-1)
    return (games.sum(axis=0)[..., None] == np.arange(5)).sum(axis=0)


@dataclass
class Simulated:
    """A measured experiment. ``strengths``: the true strength of each learner by its label."""

    strengths: Mapping[str, float]
    seeds: int
    number: int
    name: str = "simulated"
    failed: Counter[str] = field(default_factory=Counter)

    @property
    def labels(self) -> list[str]:
        return list(self.strengths)

    def scores(self, label: str, measure: str = "score_pct", opponent: str | None = None) -> dict[int, Scores]:
        assert (measure, opponent) == ("score_pct", None)
        generator = np.random.default_rng([self.number, self.labels.index(label)])
        seeds = generator.normal(self.strengths[label], SPREAD, size=(self.seeds, 1))
        counts = results_of(generator, seeds - OPPONENTS, PAIRS)
        return {100: Scores(list(range(self.seeds)), PairScores(counts, np.linspace(0, 1, 5)))}

    @property
    def measured(self) -> MeasuredExperiment:
        return cast("MeasuredExperiment", self)


def test_labels_of_one_scheme_are_declared_different_no_more_often_than_stated() -> None:
    """Any false difference among three equal learners, in 60 experiments: 3 are expected; P(more than 9) < 0.002."""
    equal = dict.fromkeys(("one", "two", "three"), 50.0)
    tables = [compare_learners(Simulated(equal, 5, number).measured) for number in range(60)]
    assert sum((table["p_value"] < LEVEL).any() for table in tables) <= 9


def test_a_scheme_that_is_truly_better_is_found_better() -> None:
    """The first learner is three standard deviations of the seeds better than the others, which are equal."""
    strengths = {"better": 50.0 + 3 * SPREAD, "one": 50.0, "two": 50.0}
    tables = [compare_learners(Simulated(strengths, 7, number).measured) for number in range(20)]
    found = [table[table["first"] == "better"] for table in tables]
    assert sum(((table["p_value"] < LEVEL) & (table["difference"] > 0)).all() for table in found) >= 18
    assert not any(((table["p_value"] < LEVEL) & (table["difference"] < 0)).any() for table in found)
    assert np.mean([table["improvement_pct"].mean() for table in found]) > 80


def test_intervals_of_experiments_cover_the_true_score() -> None:
    """The 95 % intervals of 60 experiments miss the score over 4,000 other seeds at most 9 times (P < 0.003)."""
    generator = np.random.default_rng(1)
    counts = results_of(generator, generator.normal(50.0, SPREAD, size=(4000, 1)) - OPPONENTS, PAIRS)
    truth = interquartile_mean(counts @ np.linspace(0, 100, 5) / PAIRS)
    tables = [aggregate(Simulated({"one": 50.0}, 10, number).measured) for number in range(60)]
    assert sum(not low <= truth <= high for table in tables for low, high in [(table["low"][0], table["high"][0])]) <= 9


@pytest.mark.parametrize(("difference", "fewest", "most"), [(0.0, 0, 21), (100.0, 190, 200)])
def test_players_of_a_tournament(difference: float, fewest: int, most: int) -> None:
    """How often the likelihood of superiority is significant in 200 tournaments of three players, two of them equal.

    Without a difference, 10 are expected; P(more than 21) < 0.001.
    """
    significant = 0
    for number in range(200):
        generator = np.random.default_rng([number, 7])
        pairs = {("a", "b"): difference, ("a", "c"): difference, ("b", "c"): 0.0}
        matches = {pair: MatchCounts(results_of(generator, each, 120).tolist()) for pair, each in pairs.items()}
        table = {row[:2]: row for row in rows(matches)}
        declared = {pair for pair in pairs if table[pair][-1] < LEVEL}
        significant += bool(declared) if difference == 0 else ("a", "b") in declared and table["a", "b"][3] > 50
    assert fewest <= significant <= most
