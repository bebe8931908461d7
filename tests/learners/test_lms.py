"""The LMS learner, and its modules together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import arena
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.search.selfplay import Games
from arena_evaluators.linear import Linear, features_of
from arena_learners.examples import Examples
from arena_learners.lms import LMS, MARGIN, Critic, Generalizer, PerformanceSystem
from arena_learners.loop import SelfPlay
from lms_games import W, boards_learned, corrected, fresh_learner
from positions import random_game

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_without_exploration_the_performance_system_plays_the_best_move() -> None:
    episode = SelfPlay(PerformanceSystem(W), seed=1).play(0)
    for ply in range(4):
        board = episode.board(ply)
        values = {move: W @ features_of(board.after(move), board.side) for move in board.legal_moves}
        played = W @ features_of(episode.board(ply + 1), board.side)
        assert played == pytest.approx(max(values.values()), abs=1e-3)


def test_each_game_uses_the_weights_after_the_previous_game() -> None:
    learner = fresh_learner(quiescence=False)
    for _ in range(3):
        before = learner.weights_.copy()
        learner.self_play(1)
        fresh = SelfPlay(PerformanceSystem(before, explore=learner.explore), seed=1).play(learner.games_ - 1)
        again = before.copy()
        critic, generalizer = Critic(again), Generalizer(again, learner.rate, learner.tau)
        generalizer.seen = learner.generalizer_.seen - sum(len(critic.examples(fresh, s).values) for s in arena.Side)
        generalizer.update(Examples.joined([critic.examples(fresh, side) for side in arena.Side]))
        assert np.array_equal(again, learner.weights_)


@pytest.mark.parametrize("final", [True, False])
def test_update_move_learns_from_each_example_at_once(final: bool) -> None:
    """With rate 0 it gives the same games and metrics as learning after the game; with another rate it differs."""
    weights = arena.Model("lms", {"weights": W})
    still, moving = (fresh_learner(update=update, start=weights, rate=0.0, final=final) for update in ("game", "move"))
    games, moves = still.self_play(1), moving.self_play(1)
    assert games["plies"] == moves["plies"]
    assert moving.generalizer_.seen == still.generalizer_.seen
    after, during = fresh_learner(2), fresh_learner(2, update="move")
    assert after.self_play(2)["norm"] != during.self_play(2)["norm"]


class Unlearning(Generalizer):
    def update(self, examples: Examples) -> Mapping[str, float]:
        return {"examples": float(len(examples.values))}


class Hopeful(Critic):
    def examples(self, episode: arena.Episode, side: arena.Side) -> Examples:
        first = super().examples(episode, side)
        return Examples(first.features[:1], np.array([100.0]), first.plies[:1])


class Short:
    def __init__(self) -> None:
        self.numbers: list[int] = []

    def play(self, number: int) -> arena.Episode:
        self.numbers.append(number)
        return arena.Episode.of(random_game(1))


class Reckless(PerformanceSystem):
    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:  # noqa: ARG002
        return RANDOM_MOVES


def test_the_generalizer_can_be_replaced() -> None:
    class Mine(LMS):
        def generalizer(self) -> Generalizer:
            return Unlearning(self.weights_)

    learner = Mine()
    learner.begin(1)
    metrics = learner.self_play(2)
    assert metrics["examples"] == metrics["plies"] - 1
    assert not learner.weights_.any()


def test_the_critic_can_be_replaced() -> None:
    class Mine(LMS):
        def critic(self) -> Critic:
            return Hopeful(self.weights_)

    learner = Mine(rate=0.1, tau=None)
    learner.begin(1)
    learner.self_play(1)
    start = np.array([1.0, 12, 12, 0, 0, 0, 0])
    by_hand = 0.1 * 100 * start / 25
    by_hand += 0.1 * (100 - by_hand @ start) * start / 25
    assert learner.weights_ == pytest.approx(by_hand)


def test_the_experiment_generator_can_be_replaced() -> None:
    class Mine(LMS):
        def experiment_generator(self) -> Short:  # type: ignore[override]
            return Short()

    learner = Mine()
    learner.begin(1)
    assert learner.self_play(3)["plies"] == random_game(1).ply
    assert learner.generator_.numbers == [0, 1, 2]  # type: ignore[attr-defined]
    assert learner.weights_.any()


def test_the_performance_system_can_be_replaced() -> None:
    class Mine(LMS):
        def performance_system(self) -> PerformanceSystem:
            return Reckless(self.weights_)

    learner = Mine()
    learner.begin(1)
    random = Games(RANDOM_MOVES, RANDOM_MOVES)
    plies = [random.play(1, number).plies for number in range(5)]
    assert learner.self_play(5)["plies"] == np.mean(plies)


def won(player: arena.Player, games: int) -> float:
    """Share of games won against random moves, from four random plies, with colours swapped."""
    wins = 0
    for side in arena.Side:
        players = [RANDOM_MOVES, RANDOM_MOVES]
        players[side] = player.compiled(side)
        match = Games(*players, random_plies=4)
        wins += sum(match.play(77, number).winner is side for number in range(games // 2))
    return wins / games


@pytest.mark.parametrize("seed", range(3))
def test_after_100_games_lms_beats_random(seed: int) -> None:
    learner = fresh_learner(seed)
    learner.self_play(100)
    assert won(learner.player(), 1000) >= 0.995


@pytest.mark.parametrize(
    "options",
    [
        {"depth": 2},
        {"depth": 2, "quiescence": False, "boards": "own_turn"},
        {"quiescence": False},
        {"features": 4},
        {"temperature": 2.0, "explore": 0.0},
        {"random_plies": 10},
        {"normalised": False, "rate": 0.001},
        {"final": True},
    ],
    ids=str,
)
def test_every_option_learns(options: dict[str, Any]) -> None:
    learner = fresh_learner(3, **options)
    learner.self_play(60)
    assert won(learner.player(), 200) >= 0.9


def test_own_turn_boards_with_a_one_ply_choice_play_badly() -> None:
    learner = fresh_learner(1, boards="own_turn", quiescence=False)
    learner.self_play(60)
    assert learner.weights_[6] > 0.5 * learner.weights_[1] > abs(learner.weights_[5])
    assert won(learner.player(), 200) <= 0.7


def test_lms_learns_from_games_of_others() -> None:
    learner = fresh_learner()
    random = Games(RANDOM_MOVES, RANDOM_MOVES)
    episodes = [random.play(5, number) for number in range(100)]
    metrics = learner.learn_from(episodes)
    assert {"squared_error", "gain", "norm", "w0", "w6"} <= set(metrics)
    assert won(learner.player(), 200) >= 0.9


def test_only_the_learning_sides_of_an_episode_are_learned_from() -> None:
    episode = arena.Episode.of(random_game(2))
    both, black = fresh_learner(), fresh_learner()
    both.learn_from([episode])
    black.learn_from([replace(episode, learners=(arena.Side.BLACK,))])
    assert (
        both.generalizer_.seen > black.generalizer_.seen == len(boards_learned(random_game(2), arena.Side.BLACK, True))
    )


def test_repeated_corrections_change_the_move() -> None:
    episode, better, reached = corrected(1)
    (side,) = episode.learners
    learner = fresh_learner(rate=0.5, tau=None)
    drawn_there = replace(episode, boards=episode.boards[: next(iter(episode.better)) + 2], winner=None)
    for _ in range(300):
        learner.learn_from([drawn_there])
    values = [learner.weights_ @ features_of(board, side) for board in (better, reached)]
    assert values[0] > values[1] + 0.5 * MARGIN


def test_a_restored_learner_continues_like_the_original() -> None:
    whole, first = fresh_learner(7), fresh_learner(7)
    whole.self_play(8)
    first.self_play(3)
    second = fresh_learner(7)
    second.restore(first.state())
    metrics = second.self_play(5)
    assert np.array_equal(second.weights_, whole.weights_)
    assert second.model().hash == whole.model().hash
    other = fresh_learner(7)
    other.self_play(3)
    assert metrics == other.self_play(5)
    assert fresh_learner(7).state().keys() == whole.state().keys()
    assert all(np.array_equal(whole.state()[name], array) for name, array in second.state().items())


def test_weights_follow_from_the_seed() -> None:
    learners = [fresh_learner(seed) for seed in (7, 7, 8)]
    for learner in learners:
        learner.self_play(5)
    one, same, other = (learner.model().hash for learner in learners)
    assert one == same != other


def test_metrics_are_finite_numbers() -> None:
    metrics = fresh_learner().self_play(3)
    assert np.isfinite(list(metrics.values())).all()
    assert metrics.keys() == {"plies", "draw_pct", "squared_error", "gain", *(f"w{i}" for i in range(7)), "norm"}


def test_the_player_uses_the_learned_weights_and_options() -> None:
    learner = fresh_learner(depth=2, quiescence=False)
    learner.self_play(1)
    player = learner.player()
    assert (player.depth, player.quiescence) == (2, False)
    board = arena.Board.start().after(arena.Board.start().legal_moves[0])
    value = Linear(player.weights, arena.Side.BLACK).evaluate(board)
    assert -value == pytest.approx(learner.weights_ @ features_of(board, arena.Side.BLACK), abs=1e-2)


def test_with_four_features_the_weights_of_threats_stay_0() -> None:
    learner = fresh_learner(features=4, start=arena.Model("lms", {"weights": W}))
    learner.self_play(10)
    assert learner.weights_[:5].all()
    assert not learner.weights_[5:].any()


def test_learning_continues_from_given_weights() -> None:
    learner = fresh_learner(start=arena.Model("lms", {"weights": W}), rate=0.0)
    learner.self_play(2)
    assert np.array_equal(learner.weights_, W)
    with pytest.raises(arena.ArenaError, match="of kind td, not lms"):
        fresh_learner(start=arena.Model("td", {"weights": W}))


@pytest.mark.parametrize("options", [{"normalised": False}, {"rate": 0.3, "tau": None}], ids=str)
def test_a_rate_that_is_too_large_diverges_with_an_error(options: dict[str, Any]) -> None:
    """The raw rule with its usual rate, and the normalised rule with three times this rate."""
    learner = fresh_learner(**options)
    with pytest.raises(arena.ArenaError, match="diverged: an update changed its example's error") as caught:
        learner.self_play(200)
    assert "\n" not in str(caught.value)
