"""Regression of results on patterns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import arena
from arena.training.duel import measure
from arena_evaluators.patterns import SLOTS, material, mirror
from arena_learners import regression
from arena_learners.outcomes import WeightedPositions
from arena_learners.regression import Critic, Generalizer, Regression, accumulate, is_generation, mean_loss, values
from positions import random_game

if TYPE_CHECKING:
    from collections.abc import Mapping


def assert_same(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray]) -> None:
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regression, "FIRST_GENERATION", 6)
    monkeypatch.setattr(regression, "HELD_BACK", 4)


def fresh_learner(seed: int = 3) -> Regression:
    learner = Regression(depth=1)
    learner.begin(seed)
    return learner


def sample(seed: int, games: int = 6) -> WeightedPositions:
    pool = WeightedPositions()
    for number in range(games):
        game = random_game(1000 * seed + number)
        if game.outcome is not None:
            episode = arena.Episode.of(game)
            for side in arena.Side:
                pool.add(*Critic(1.0, 1.0).examples(episode, side))
    return pool


def test_generations_grow_by_half() -> None:
    assert [games for games in range(1, 2000) if is_generation(games)] == [400, 600, 900, 1350]


def test_the_critic_takes_quiet_positions_without_a_random_move() -> None:
    boards = np.array([board.relative for board in random_game(2).boards], dtype=np.int64)
    plies = len(boards) - 1
    explored = np.arange(plies) < 6
    episode = arena.Episode(boards, arena.Side.WHITE, explored=explored)
    black, white = (Critic(1.0, 0.9).examples(episode, side) for side in arena.Side)
    calm = [
        not any(move.captures for move in episode.board(ply).legal_moves) and not (ply < plies and explored[ply])
        for ply in range(plies + 1)
    ]
    np.testing.assert_array_equal(black[0], boards[[ply for ply in range(0, plies + 1, 2) if calm[ply]]])
    np.testing.assert_array_equal(white[0], boards[[ply for ply in range(1, plies + 1, 2) if calm[ply]]])
    assert set(black[1]) == {0.0}
    assert set(white[1]) == {1.0}
    np.testing.assert_allclose(black[2], [0.9 ** (plies - ply) for ply in range(0, plies + 1, 2) if calm[ply]])


def test_gradients_agree_with_finite_differences() -> None:
    pool = sample(1)
    boards, targets, counts = pool.boards, pool.targets, pool.counts
    everything = np.arange(len(boards))
    weights = np.random.default_rng(1).normal(scale=0.05, size=(2, SLOTS))
    gradient = np.zeros_like(weights)
    loss = accumulate(boards, targets, counts, everything, weights, gradient)
    assert loss / counts.sum() == pytest.approx(mean_loss(values(boards, weights), targets, counts))
    for place in np.argsort(np.abs(gradient).ravel())[-5:]:
        nudge = np.zeros(weights.size)
        nudge[place] = 1e-5
        losses = [
            mean_loss(values(boards, weights + sign * nudge.reshape(weights.shape)), targets, counts)
            for sign in (1, -1)
        ]
        slope = (losses[0] - losses[1]) / 2e-5 * counts.sum()
        assert gradient.ravel()[place] == pytest.approx(slope, rel=1e-3)


def test_a_fit_lowers_the_loss_and_stays_antisymmetric() -> None:
    pool = sample(2, 30)
    prior = material(1.0, 1.5)
    weights = prior.copy()
    before = mean_loss(values(pool.boards, weights), pool.targets, pool.counts)
    Generalizer(weights, prior, l2=1.0).update((pool, np.random.default_rng(1)))
    assert mean_loss(values(pool.boards, weights), pool.targets, pool.counts) < before - 0.05
    np.testing.assert_allclose(weights[:, mirror()], -weights, atol=1e-12)


def test_entries_without_positions_stay_at_the_prior() -> None:
    prior = material(1.0, 1.5)
    weights = prior.copy()
    Generalizer(weights, prior, l2=1.0).update((sample(2, 30), np.random.default_rng(1)))
    assert 0.001 < (weights != prior).mean() < 0.2


@pytest.mark.usefixtures("short")
def test_self_play_in_parts_equals_self_play_at_once() -> None:
    whole, parts = fresh_learner(), fresh_learner()
    whole.self_play(11)
    for games in (1, 6, 4):
        parts.self_play(games)
        parts.model()
    assert_same(whole.state(), parts.state())
    assert whole.model().hash == parts.model().hash


@pytest.mark.usefixtures("short")
def test_a_restored_learner_continues_like_the_original() -> None:
    original, copy = fresh_learner(), fresh_learner()
    original.self_play(8)
    copy.restore({name: array.copy() for name, array in original.state().items()})
    assert original.self_play(6) == copy.self_play(6)
    assert_same(original.state(), copy.state())


@pytest.mark.usefixtures("short")
def test_recorded_games_teach_results_and_late_positions_weigh_more() -> None:
    student = fresh_learner()
    game = arena.Episode.of(random_game(2))
    searched = replace(game, values=np.full(game.plies, 5.0))
    student.learn_from([searched, game])
    boards, targets, counts = (
        np.concatenate(parts)
        for parts in zip(*(Critic(1.0, student.discount).examples(game, side) for side in arena.Side), strict=True)
    )
    expected = WeightedPositions()
    expected.add(boards, targets, 2 * counts)
    assert_same(expected.state("pool"), student.pool_.state("pool"))


def test_labels_replace_the_result() -> None:
    game = arena.Episode.of(random_game(2))
    labels = np.full(game.plies + 1, np.nan)
    labels[0] = 0.5
    _, targets, _ = Critic(1.0, 1.0).examples(replace(game, labels=labels), arena.Side.BLACK)
    assert targets[0] == 0.75
    assert set(targets[1:]) == {(1 + game.result(arena.Side.BLACK)) / 2}


def test_metrics_are_finite() -> None:
    assert all(np.isfinite(value) for value in fresh_learner().self_play(2).values())


def test_one_generation_beats_material() -> None:
    learner = Regression(depth=2)
    learner.begin(1)
    metrics = learner.self_play(regression.FIRST_GENERATION)
    assert metrics["held_out_loss"] < np.log(2)
    assert measure(learner.player, "m4", games=60, seed=1).score_pct > 55
