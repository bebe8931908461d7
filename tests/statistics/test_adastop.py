"""The sequential test of learners, against the package adastop and simulated learners.

The numbers of adastop 0.1.3 (T. Mathieu et al., 2023) were made by ``MultipleAgentsComparator(n, K, B=10**6, alpha)``.
Its boundary is that of differences with their signs, and is compared with absolute differences. So its error of two
learners is twice its alpha, and our alpha is twice its.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from arena.statistics.adastop import AdaStop, Decision

ADASTOP = [
    (
        (3, 3, 0.05),
        [0.13, -0.13, 0.64, 0.1, -0.54, 0.36, 1.3, 0.95, -0.7],
        [-1.27, -0.62, 0.04, -2.33, -0.22, -1.25, -0.73, -0.54, -0.32],
        ([0.943333, 1.783333], 1, 2),
    ),
    (
        (3, 3, 0.05),
        [0.7, 0.18, 1.25, 1.92, 2.64, 1.61, 0.95, 0.72, 2.25],
        [1.63, 0.27, -1.23, -0.96, 1.6, 0.2, -1.73, -0.08, -1.16],
        ([1.453333, 2.51, 3.373333], 1, 3),
    ),
    (
        (3, 3, 0.1),
        [0.7, 0.18, 1.25, 1.92, 2.64, 1.61, 0.95, 0.72, 2.25],
        [1.63, 0.27, -1.23, -0.96, 1.6, 0.2, -1.73, -0.08, -1.16],
        ([1.453333, 2.083333], 1, 2),
    ),
    (
        (4, 2, 0.05),
        [3.04, -1.56, 1.42, 0.43, 0.55, 0.78, -1.02, 0.77],
        [-0.87, 3.32, 0.23, -0.35, -0.28, -0.67, -1.06, -0.39],
        ([2.59, 2.325], 0, 2),
    ),
    (
        (4, 2, 0.05),
        [1.85, 2.33, 4.16, 3.16, 0.86, 2.49, 1.88, 2.65],
        [-1.61, 0.24, 0.24, 1.58, 0.32, 0.51, -1.49, 2.25],
        ([2.6275], 1, 1),
    ),
]
"""Group size, groups and alpha of adastop; scores; boundaries, sign of the difference, and the group that decides."""


@pytest.mark.parametrize(("design", "first", "second", "expected"), ADASTOP)
def test_two_learners_as_in_adastop(
    design: tuple[int, int, float], first: list[float], second: list[float], expected: tuple[list[float], int, int]
) -> None:
    size, groups, alpha = design
    boundaries, sign, group = expected
    [decision], found = AdaStop(size, groups, 2 * alpha).steps([np.array(first), np.array(second)])
    assert found == pytest.approx(boundaries, abs=1e-6)
    assert decision == Decision(0, 1, sign, group)
    [mirrored], _ = AdaStop(size, groups, 2 * alpha).steps([np.array(second), np.array(first)])
    assert (mirrored.sign, mirrored.group) == (-sign, group)


def test_one_group_is_a_permutation_test() -> None:
    first, second = np.array([0.9, 0.8, 0.85, 0.7]), np.array([0.4, 0.75, 0.5, 0.6])
    pooled, observed = np.concatenate([first, second]), first.mean() - second.mean()
    differences = [
        pooled[list(chosen)].mean() - np.delete(pooled, chosen).mean() for chosen in combinations(range(8), 4)
    ]
    p_value = np.mean(np.abs(differences) >= abs(observed) - 1e-12)
    for alpha in (p_value * 0.99, p_value * 1.01):
        [decision] = AdaStop(4, 1, alpha).decisions([first, second])
        assert decision.sign == (1 if alpha > p_value else 0)


def wrong(learners: int, size: int, groups: int, alpha: float, trials: int) -> float:
    """The share of experiments with equal learners in which any difference is found."""
    found = 0
    for trial in range(trials):
        generator = np.random.default_rng(trial)
        scores = [generator.normal(size=size * groups) for _ in range(learners)]
        found += any(each.sign for each in AdaStop(size, groups, alpha).decisions(scores))
    return found / trials


@pytest.mark.parametrize(("learners", "size", "groups"), [(2, 4, 2), (3, 4, 2), (2, 3, 3)])
def test_equal_learners_are_declared_different_no_more_often_than_stated(learners: int, size: int, groups: int) -> None:
    trials, alpha = 400, 0.2
    share = wrong(learners, size, groups, alpha, trials)
    assert share <= alpha + 2.6 * np.sqrt(alpha * (1 - alpha) / trials)
    assert learners > 2 or share >= alpha - 2.6 * np.sqrt(alpha * (1 - alpha) / trials)


def test_a_clear_difference_is_found_early_and_the_others_go_on() -> None:
    generator = np.random.default_rng(3)
    good, one, other = generator.normal(10, 1, 5), generator.normal(0, 1, 10), generator.normal(0, 1, 10)
    decisions = {(each.first, each.second): each for each in AdaStop(5, 2).decisions([good, one, other])}
    assert decisions[0, 1] == Decision(0, 1, 1, 1)
    assert decisions[0, 2] == Decision(0, 2, 1, 1)
    assert decisions[1, 2] == Decision(1, 2, 0, 2)


def test_many_interleavings_are_drawn_by_the_seed() -> None:
    generator = np.random.default_rng(1)
    scores = [generator.normal(1, 1, 20), generator.normal(0, 1, 20)]
    steps = [AdaStop(5, 4, seed=seed).steps(scores) for seed in (1, 1, 2)]
    assert steps[0] == steps[1]
    assert steps[0][1] != steps[2][1]
    assert steps[0][1] == pytest.approx(steps[2][1], rel=0.1)


def test_steps_do_not_depend_on_later_groups() -> None:
    generator = np.random.default_rng(5)
    scores = [generator.normal(0.8, 1, 9), generator.normal(0, 1, 9)]
    test = AdaStop(3, 3, 0.2)
    _, whole = test.steps(scores)
    for groups in range(1, 4):
        decisions, found = test.steps([each[: 3 * groups] for each in scores])
        assert found == whole[: len(found)]
        assert decisions[0].group <= groups


@pytest.mark.parametrize(
    ("size", "groups", "can"), [(1, 3, False), (2, 1, False), (2, 3, True), (3, 1, False), (5, 1, True)]
)
def test_too_few_seeds_cannot_decide(size: int, groups: int, can: bool) -> None:
    assert AdaStop(size, groups).can_decide is can
    scores = [np.arange(size * groups) + 100.0, np.arange(size * groups) * 1.0]
    [decision] = AdaStop(size, groups).decisions(scores)
    assert (decision.sign == 1) is can


def test_without_scores_nothing_is_decided() -> None:
    decisions, boundaries = AdaStop(3, 3).steps([np.array([0.5, 0.6]), np.array([])])
    assert (decisions, boundaries) == ([Decision(0, 1, 0, 0)], [])
