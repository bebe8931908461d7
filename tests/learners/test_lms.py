"""The LMS learner: worked numbers, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena_evaluators.linear import Linear, features_of
from arena_learners.lms import LMS, Critic, Example, ExperimentGenerator, Generalizer, PerformanceSystem
from positions import random_game

W = np.array([0.5, 1.0, -1.0, 2.0, -0.5, -1.0, 1.5])
B0 = np.array([1.0, 8, 7, 2, 1, 1, 2])
B1 = np.array([1.0, 7, 6, 2, 1, 0, 3])


def test_the_worked_value_of_a_board() -> None:
    """Six men and a king of mine against five men and a king, one of mine and none of theirs to be taken."""
    board = arena.Board.from_fen("B:W18,23,24,28,32,K21:B1,2,3,4,5,12,K13")
    x = features_of(board, arena.Side.BLACK)
    value = Linear(arena.Model("lms", {"weights": W}), arena.Side.BLACK).evaluate(board)
    assert value == pytest.approx(0.5 + x[1] - x[2] + 2 * x[3] - 0.5 * x[4] - x[5] + 1.5 * x[6], abs=1e-4)
    assert W @ B1 == 9.5


def test_the_worked_update_by_the_raw_rule() -> None:
    """The worked example takes 8.0 for V̂(b0), though its own weights give 7.0: an error of 1.5 with rate 0.1."""
    weights = W.copy()
    Generalizer(rate=0.1, normalised=False, features=6).update(weights, Example(B0, float(W @ B0) + 1.5))
    assert weights == pytest.approx([0.65, 2.2, 0.05, 2.3, -0.35, -0.85, 1.8])


def test_the_worked_update_by_the_normalised_rule() -> None:
    weights = W.copy()
    Generalizer(rate=0.1, normalised=True, features=6).update(weights, Example(B0, float(W @ B0) + 1.5))
    assert weights[1] == pytest.approx(1.054545, abs=1e-6)


def test_the_example_of_a_won_board_from_zero_weights() -> None:
    weights = np.zeros(7)
    won = np.array([1.0, 3, 0, 1, 0, 0, 0])
    Generalizer(rate=0.1, normalised=True, features=6).update(weights, Example(won, 100.0))
    assert weights == pytest.approx([2, 6, 0, 2, 0, 0, 0])
    assert weights @ won == pytest.approx(22)


counts = st.lists(st.integers(0, 12), min_size=6, max_size=6).map(lambda x: np.array([1.0, *x]))
reals = st.floats(-100, 100)


@given(counts, st.lists(reals, min_size=7, max_size=7), reals, st.booleans(), st.sampled_from([4, 6]))
def test_only_weights_of_features_that_occur_change(
    x: np.ndarray, start: list[float], value: float, normalised: bool, features: int
) -> None:
    weights = np.array(start)
    square = Generalizer(0.1, normalised, features).update(weights, Example(x, value))
    used = np.arange(7) <= features
    error = value - np.array(start)[used] @ x[used]
    assert square == pytest.approx(error**2)
    z = x[used].sum() if normalised else 1
    assert weights == pytest.approx(np.array(start) + 0.1 * error * x * used / z)
    assert np.array_equal(weights[(x == 0) | ~used], np.array(start)[(x == 0) | ~used])


@given(counts, st.lists(reals, min_size=7, max_size=7))
def test_without_an_error_nothing_changes(x: np.ndarray, start: list[float]) -> None:
    weights = np.array(start)
    Generalizer(0.1, True, 6).update(weights, Example(x, float(weights @ x)))
    assert np.array_equal(weights, start)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("learner", arena.Side)
def test_the_critic_values_a_board_by_its_successor(seed: int, learner: arena.Side, depth: int) -> None:
    game = random_game(seed)
    examples = Critic(depth).examples(game, learner, W)
    to_move = learner.other if depth == 1 else learner
    boards = [b for i, b in enumerate(game.boards[:-1]) if b.side is to_move and (i > 0 or depth == 2)]
    assert [tuple(example.features) for example in examples] == [tuple(features_of(b, learner)) for b in boards]
    for example, successor in zip(examples, boards[1:], strict=False):
        assert example.value == pytest.approx(W @ features_of(successor, learner))
    won = {None: 0, learner: 100, learner.other: -100}[game.outcome.winner]
    assert examples[-1].value == won


def test_the_critic_waits_for_the_end_of_the_game() -> None:
    with pytest.raises(ValueError, match="not over"):
        Critic(1).examples(arena.Game(), arena.Side.BLACK, W)


def test_without_exploration_the_generator_plays_what_the_performance_system_chooses() -> None:
    model = arena.Model("lms", {"weights": W})
    game = ExperimentGenerator(0.0, np.random.default_rng(1)).play(PerformanceSystem(model, 1))
    assert game.outcome is not None
    replayed = arena.Game()
    for move in game.moves:
        board, side = replayed.board, replayed.side
        if replayed.quiet_plies < 3 and all(board.after(other).legal_moves for other in board.legal_moves):
            values = {other: W @ features_of(board.after(other), side) for other in board.legal_moves}
            assert values[move] == pytest.approx(max(values.values()), abs=1e-4)
        replayed.play(move)


def trained(games: int, seed: int, learner: LMS) -> LMS:
    learner.begin(np.random.default_rng(seed))
    for _ in range(games):
        learner.step()
    return learner


@pytest.mark.parametrize("depth", [1, 2])
def test_a_few_games_of_learning_beat_random(depth: int) -> None:
    learner = trained(40, 3, LMS(depth=depth))
    random = np.random.default_rng(1)
    won = 0
    for number in range(60):
        game = arena.Game(random=random)
        player, mine = learner.player(), number % 2
        while game.outcome is None:
            moves = game.board.legal_moves
            game.play(player.choose(game) if game.side == mine else moves[random.integers(len(moves))])
        won += game.outcome.winner == mine
    assert won >= 54


def test_the_same_seed_learns_the_same_weights() -> None:
    assert trained(5, 7, LMS()).model().hash == trained(5, 7, LMS()).model().hash
    assert trained(5, 7, LMS()).model().hash != trained(5, 8, LMS()).model().hash


def test_four_features_leave_the_threats_alone() -> None:
    weights = trained(10, 1, LMS(features=4)).weights_
    assert weights[:5].all()
    assert not weights[5:].any()


def test_learning_goes_on_from_given_weights() -> None:
    start = arena.Model("lms", {"weights": W})
    learner = LMS(start=start, rate=0.0)
    assert np.array_equal(trained(2, 1, learner).weights_, W)
    with pytest.raises(arena.ArenaError, match="of kind td, not lms"):
        trained(1, 1, LMS(start=arena.Model("td", {"weights": W})))


def test_the_raw_rule_with_its_usual_rate_diverges_and_says_so() -> None:
    with pytest.raises(arena.ArenaError, match="diverged"):
        trained(50, 1, LMS(normalised=False, rate=0.1))
