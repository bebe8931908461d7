"""TDLeaf(lambda) on patterns."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena.training.duel import measure
from arena_evaluators.patterns import SLOTS, kernel_of, material, mirror, pack
from arena_learners.regression import values
from arena_learners.tdleaf import Critic, TDLeaf, learn


def fresh_learner(**options: float) -> TDLeaf:
    learner = TDLeaf(depth=2, **options)  # type: ignore[arg-type]
    learner.begin(4)
    return learner


def test_the_changes_follow_the_published_rule() -> None:
    """Baxter, Tridgell & Weaver 1998: the gradient of J at the leaf times the discounted sum of later differences."""
    learner = fresh_learner()
    learner.self_play(3)
    weights = learner.weights_
    episode = learner.generator_.play(7)
    assert episode.values is not None
    assert episode.leaves is not None
    boards, changes, _ = Critic(weights, 0.7).examples(episode, arena.Side.BLACK)

    turns = [ply for ply in range(episode.plies) if episode.leaves[ply, 3]]
    seen = [episode.values[ply] * (1 if episode.side(ply) is arena.Side.BLACK else -1) for ply in turns]
    expected = [*np.tanh(np.array(seen) / 2), episode.result(arena.Side.BLACK)]
    at = 0
    for t, ply in enumerate(turns):
        total = sum(0.7 ** (j - t) * (expected[j + 1] - expected[j]) for j in range(t, len(turns)))
        leaf, distance = episode.leaves[ply, :3], episode.leaves[ply, 3]
        if at < len(boards) and np.array_equal(leaf, boards[at]):
            viewer = episode.side(ply) if distance % 2 == 0 else episode.side(ply).other
            black = 1 if viewer is arena.Side.BLACK else -1
            assert changes[at] == pytest.approx(black * total * (1 - expected[t] ** 2) / 2, abs=1e-9)
            at += 1
    assert at == len(boards) > len(turns) / 2


def test_learning_changes_the_value_of_a_leaf_as_wanted() -> None:
    weights = material(1.0, 1.5)
    kernel = kernel_of(weights)
    assert kernel.context is not None
    boards = np.array([arena.Board.from_fen("B:W21,22,30:B2,5,9,K27").relative], dtype=np.int64)
    before = values(boards, weights)[0]
    learn(boards, np.array([0.5]), 0.1, weights, mirror(), kernel.context)
    assert before < values(boards, weights)[0] < before + 2
    np.testing.assert_allclose(weights[:, mirror()], -weights, atol=1e-12)
    packed = np.zeros(SLOTS, dtype=np.int64)
    pack(weights, packed)
    np.testing.assert_array_equal(kernel.context, packed)


def test_self_play_in_parts_equals_self_play_at_once_and_after_restoring() -> None:
    whole, parts, copy = fresh_learner(), fresh_learner(), fresh_learner()
    whole.self_play(6)
    parts.self_play(2)
    copy.restore({name: array.copy() for name, array in parts.state().items()})
    for learner in (parts, copy):
        learner.self_play(4)
        for name, array in whole.state().items():
            np.testing.assert_array_equal(array, learner.state()[name])
        assert learner.model().hash == whole.model().hash


def test_after_a_few_games_the_learner_beats_its_start() -> None:
    learner = fresh_learner()
    metrics = learner.self_play(300)
    assert all(np.isfinite(value) for value in metrics.values())
    assert measure(learner.player, "m4", games=60, seed=1).score_pct > 60
