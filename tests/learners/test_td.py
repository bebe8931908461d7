"""The TD learner and its memory."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena_learners.td import FLOOR, TD, step_size


@pytest.mark.parametrize(("boards", "expected"), [(1, 1.0), (51, 0.5), (951, 0.05)])
def test_the_step_size(boards: int, expected: float) -> None:
    assert step_size(boards) == expected


@pytest.fixture(scope="module")
def learner() -> TD:
    learner = TD()
    learner.begin(np.random.default_rng(4))
    learner.metrics = [learner.step() for _ in range(40)]
    return learner


def test_weights_begin_at_one() -> None:
    learner = TD()
    learner.begin(np.random.default_rng(0))
    assert learner.weights_.tolist() == [1.0, 1.0, 1.0]


def test_every_board_met_is_remembered_and_counted(learner: TD) -> None:
    visits = learner.memory_.tensors()["visits"].sum()
    assert visits == sum(metrics["plies"] for metrics in learner.metrics) == learner.boards_
    assert learner.metrics[-1]["boards"] == len(learner.memory_)
    assert learner.memory_.visits(arena.Board.start()) >= 40
    assert learner.metrics[-1]["step_size"] == step_size(learner.boards_)


@pytest.mark.parametrize("seed", range(20))
def test_weights_neither_diverge_nor_are_held_at_the_floor(seed: int) -> None:
    learner = TD(depth=1)
    learner.begin(np.random.default_rng(seed))
    metrics = [learner.step() for _ in range(25)]
    weights = np.array([[game[f"c{i}"] for i in (1, 2, 3)] for game in metrics])
    assert np.isfinite(weights).all()
    assert weights.max() < 10
    assert weights[-1, 0] > 2 * FLOOR


def test_a_few_games_of_learning_beat_random(learner: TD) -> None:
    random = np.random.default_rng(1)
    player, won = learner.player(), 0
    for number in range(60):
        game = arena.Game(random=random)
        mine = number % 2
        while game.outcome is None:
            moves = game.board.legal_moves
            game.play(player.choose(game) if game.side == mine else moves[random.integers(len(moves))])
        won += game.outcome.winner == mine
    assert won >= 54


def test_remembered_values_lie_within_the_reward(learner: TD) -> None:
    values = learner.model().tensors["values"]
    assert np.abs(values).max() <= learner.reward
    assert np.abs(values).max() >= learner.reward / 2


def test_memory_plays(learner: TD, tmp_path) -> None:
    """A search that recalls what was learned visits the same boards but sees other values."""
    from arena.search import Search
    from arena_evaluators.rote import Rote

    path = tmp_path / "td.safetensors"
    learner.model().save(path, {})
    model = arena.Model.file(path)
    recalling, forgetful = Search(Rote(model)), Search(Rote(model, memory=False))
    boards = [arena.Board(*masks) for masks in learner.memory_.boards[:500].tolist()]
    differ = [b for b in boards if recalling(b, 3).score != pytest.approx(forgetful(b, 3).score, abs=1e-3)]
    assert len(differ) > 20


def test_the_model_keeps_what_was_met_most_often() -> None:
    learner = TD(capacity=50, depth=1)
    learner.begin(np.random.default_rng(4))
    for _ in range(5):
        learner.step()
    tensors = learner.model().tensors
    assert tensors["boards"].shape == (50, 3)
    assert len(learner.memory_) > 50
    start = arena.Board.start().relative
    assert tuple(tensors["boards"][0].tolist()) == start


def test_learning_goes_on_where_it_stopped(learner: TD) -> None:
    learner.capacity = 100
    model = learner.model()
    assert model.tensors["visits"].sum() < learner.boards_
    again = TD(start=model)
    again.begin(np.random.default_rng(9))
    assert np.array_equal(again.weights_, learner.weights_)
    assert again.boards_ == learner.boards_
    assert again.memory_.visits(arena.Board.start()) == learner.memory_.visits(arena.Board.start())
    again.step()
    assert again.memory_.visits(arena.Board.start()) == learner.memory_.visits(arena.Board.start()) + 1


def test_the_same_seed_learns_the_same() -> None:
    def digest(seed: int) -> str:
        learner = TD(depth=1)
        learner.begin(np.random.default_rng(seed))
        for _ in range(4):
            learner.step()
        return learner.model().hash

    assert digest(1) == digest(1)
    assert digest(1) != digest(2)
