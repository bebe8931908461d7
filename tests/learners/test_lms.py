"""The LMS learner and its modules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.search.selfplay import Games
from arena_evaluators.linear import Linear, features_of
from arena_learners.examples import Examples
from arena_learners.lms import LMS, MARGIN, Critic, Generalizer, PerformanceSystem, lms
from arena_learners.loop import SelfPlay
from positions import random_game

if TYPE_CHECKING:
    from collections.abc import Mapping

W = np.array([0.5, 1.0, -1.0, 2.0, -0.5, -1.0, 1.5])
B0 = np.array([1.0, 8, 7, 2, 1, 1, 2])
B1 = np.array([1.0, 7, 6, 2, 1, 0, 3])
ASSUMED = 8.0
"""V̂(b0) in the text's worked example."""


def one(x: np.ndarray, value: float) -> Examples:
    return Examples(np.array([x]), np.array([value]), np.array([0]))


# The rule.


def test_the_worked_examples_weights_give_7_where_the_text_assumes_8() -> None:
    assert W @ B1 == 9.5
    assert W @ B0 == 7.0 != ASSUMED
    weights = W.copy()
    Generalizer(weights, rate=0.1, normalised=False).update(one(B0, 9.5))
    assert weights[1] == pytest.approx(3.0), "the text has 2.2"


def test_the_raw_rule_gives_the_worked_update() -> None:
    """The text's error of 1.5, which follows from its assumed value, with rate 0.1."""
    weights = W.copy()
    error = 9.5 - ASSUMED
    metrics = Generalizer(weights, rate=0.1, normalised=False).update(one(B0, float(W @ B0) + error))
    assert weights == pytest.approx([0.65, 2.2, 0.05, 2.3, -0.35, -0.85, 1.8])
    assert metrics == {"squared_error": 1.5**2 / 2, "gain": pytest.approx(0.1 * (B0 @ B0))}


def test_the_normalised_rule_divides_the_worked_update_by_z() -> None:
    weights = W.copy()
    metrics = Generalizer(weights, rate=0.1).update(one(B0, float(W @ B0) + 9.5 - ASSUMED))
    assert weights[1] == pytest.approx(1.054545, abs=1e-6)
    assert metrics["gain"] == pytest.approx(0.1 * (B0 @ B0) / 22)


def test_a_won_board_updates_zero_weights() -> None:
    weights = np.zeros(7)
    won = np.array([1.0, 3, 0, 1, 0, 0, 0])
    Generalizer(weights, rate=0.1).update(one(won, 100.0))
    assert weights == pytest.approx([2, 6, 0, 2, 0, 0, 0])
    assert weights @ won == pytest.approx(22)


counts = st.lists(st.integers(0, 12), min_size=6, max_size=6).map(lambda x: np.array([1.0, *x]))
reals = st.floats(-100, 100)


@given(counts, st.lists(reals, min_size=7, max_size=7), reals, st.booleans(), st.sampled_from([4, 6]))
def test_only_weights_of_features_that_occur_change(
    x: np.ndarray, start: list[float], value: float, normalised: bool, features: int
) -> None:
    weights = np.array(start)
    metrics = Generalizer(weights, 0.1, None, normalised, features).update(one(x, value))
    used = np.arange(7) <= features
    error = value - np.array(start)[used] @ x[used]
    assert metrics["squared_error"] == pytest.approx(error**2 / 2)
    z = x[used].sum() if normalised else 1
    assert weights == pytest.approx(np.array(start) + 0.1 * error * x * used / z)
    assert np.array_equal(weights[(x == 0) | ~used], np.array(start)[(x == 0) | ~used])


@given(counts, st.lists(st.integers(-100, 100), min_size=7, max_size=7))
def test_an_example_without_error_changes_nothing(x: np.ndarray, start: list[int]) -> None:
    weights = np.array(start, dtype=float)
    Generalizer(weights).update(one(x, float(weights @ x)))
    assert np.array_equal(weights, start)


@given(counts, reals, st.floats(0.01, 1))
def test_gain_is_the_share_of_the_error_that_an_update_removes(x: np.ndarray, value: float, rate: float) -> None:
    weights = np.zeros(7)
    gain = Generalizer(weights, rate).update(one(x, value))["gain"]
    assert value - weights @ x == pytest.approx((1 - gain) * value, abs=1e-6)


def test_the_rate_decays_with_the_number_of_examples() -> None:
    weights = np.zeros(7)
    generalizer = Generalizer(weights, rate=0.5, tau=10.0, normalised=False)
    bias = np.eye(7)[0]
    for t in range(30):
        before = weights[0]
        generalizer.update(one(bias, before + 1.0))
        assert weights[0] - before == pytest.approx(0.5 / (1 + t / 10))


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([np.inf, 10.0]))
def test_the_compiled_rule_equals_the_plain_rule(seed: int, normalised: bool, tau: float) -> None:
    random = np.random.default_rng(seed)
    x = np.column_stack([np.ones(9), random.integers(0, 13, (9, 6))])
    values, start = random.normal(0, 50, 9), random.normal(0, 5, 7)
    compiled, plain = start.copy(), start.copy()
    arguments = x, values, normalised, 0.01, tau, 3
    assert lms(compiled, *arguments) == lms.py_func(plain, *arguments)  # type: ignore[attr-defined]
    assert np.array_equal(compiled, plain)


# The critic.


def expected(game: arena.Game, learner: arena.Side, after_own_move: bool, final: bool = False) -> list[arena.Board]:
    """Boards after the learner's moves, or on its turns, and the final board of the game if ``final``."""
    to_move = learner.other if after_own_move else learner
    boards = list(enumerate(game.boards[:-1]))
    chosen = [board for ply, board in boards if board.side is to_move and (ply > 0 or not after_own_move)]
    return [*chosen, game.boards[-1]] if final else chosen


@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("after_own_move", [True, False])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("learner", arena.Side)
def test_the_critic_uses_the_value_of_the_successor(
    seed: int, learner: arena.Side, after_own_move: bool, final: bool
) -> None:
    game = random_game(seed)
    examples = Critic(W, after_own_move, final).examples(arena.Episode.of(game), learner)
    boards = expected(game, learner, after_own_move, final)
    seen = np.array([features_of(board, learner) for board in boards])
    np.testing.assert_array_equal(examples.features, seen)
    np.testing.assert_allclose(examples.values[:-1], seen[1:] @ W)
    won = {None: 0, learner: 100, learner.other: -100}[game.outcome.winner]
    assert examples.values[-1] == won


@pytest.mark.parametrize("boards", ["compared", "own_turn"])
def test_a_won_final_board_gives_the_texts_example(boards: str) -> None:
    """⟨(3, 0, 1, 0, 0, 0), 100⟩: Black has won and has three pieces, one of them a king."""
    game = arena.Game(arena.Board.from_fen("B:W18:B1,14,K32"))
    game.play(*game.board.legal_moves)
    critic = fresh_learner(boards=boards, final=True, start=arena.Model("lms", {"weights": W})).critic_
    black, white = (critic.examples(arena.Episode.of(game), side).last(1) for side in arena.Side)
    assert (black.features.tolist(), black.values.tolist()) == ([[1, 3, 0, 1, 0, 0, 0]], [100])
    assert (white.features.tolist(), white.values.tolist()) == ([[1, 0, 3, 0, 1, 0, 0]], [-100])
    without = fresh_learner(boards=boards).critic_.examples(arena.Episode.of(game), arena.Side.BLACK)
    assert [1, 3, 0, 1, 0, 0, 0] not in without.features.tolist()


@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("after_own_move", [True, False])
def test_the_critic_takes_games_of_any_length_from_any_position(after_own_move: bool, final: bool) -> None:
    critic = Critic(W, after_own_move, final)
    for fen, plies in (("W:W32:B28", 0), ("B:W32:B28", 0), ("W:W6:B1", 1), ("W:W14:B9", 2)):
        game = arena.Game(arena.Board.from_fen(fen))
        while game.outcome is None and game.ply < plies:
            game.play(game.board.legal_moves[0])
        boards = np.array([board.relative for board in game.boards])
        episode = arena.Episode(boards, arena.Side.WHITE, game.boards[0].side)
        for side in arena.Side:
            examples = critic.examples(episode, side)
            number = len(expected(game, side, after_own_move, final))
            assert len(examples.features) == len(examples.values) == len(examples.plies) == number


@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("after_own_move", [True, False])
def test_latest_examples_are_those_of_the_finished_game_except_the_last(after_own_move: bool, final: bool) -> None:
    critic = Critic(W, after_own_move, final)
    at_the_end = 1 + final
    finished = random_game(3)
    game = arena.Game()
    latest: dict[arena.Side, list[Examples]] = {side: [] for side in arena.Side}
    for move in finished.moves[:-1]:
        game.play(move)
        latest[game.side.other if after_own_move else game.side].append(critic.latest(game))
    for side in arena.Side:
        whole = critic.examples(arena.Episode.of(finished), side)
        np.testing.assert_array_equal(np.concatenate([e.features for e in latest[side]]), whole.features[:-at_the_end])
        np.testing.assert_allclose(np.concatenate([e.values for e in latest[side]]), whole.values[:-at_the_end])
        assert whole.last(at_the_end).values.tolist() == whole.values[-at_the_end:].tolist()


@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("after_own_move", [True, False])
def test_labels_replace_the_values_of_successors(after_own_move: bool, final: bool) -> None:
    episode = arena.Episode.of(random_game(4))
    labels = np.full(episode.plies + 1, np.nan)
    labels[6:8] = 0.5, -0.25
    critic = Critic(W, after_own_move, final)
    for side in arena.Side:
        plain, labelled = (critic.examples(e, side) for e in (episode, replace(episode, labels=labels)))
        changed = np.flatnonzero(plain.values != labelled.values)
        ply = next(ply for ply in (6, 7) if (episode.side(ply) is side) is not after_own_move)
        mine = labels[ply] if episode.side(ply) is side else -labels[ply]
        assert labelled.values[changed] == pytest.approx([100 * mine])
        np.testing.assert_array_equal(plain.features[changed[0]], features_of(episode.board(ply), side))


def test_a_label_before_an_agreed_move_is_used_for_the_board_after_it() -> None:
    """The teacher labels only the learner's positions. It agrees with the move at ply 4 but not at ply 6."""
    episode = arena.Episode.of(random_game(4))
    labels = np.full(episode.plies + 1, np.nan)
    labels[[4, 6]] = 0.5, -0.25
    taught = replace(episode, labels=labels, better={6: tuple(episode.boards[7].tolist())})
    critic = Critic(W)
    plain, examples = (critic.examples(e, arena.Side.BLACK) for e in (episode, taught))
    at = [int(np.flatnonzero(examples.plies == ply)[0]) for ply in (5, 7)]
    assert examples.values[at[0]] == 50
    assert examples.values[at[1]] == plain.values[plain.plies == 7]
    taught = replace(taught, better=None)
    assert np.array_equal(critic.examples(taught, arena.Side.BLACK).values, plain.values)


def test_joined_examples_are_in_the_order_of_the_game() -> None:
    episode = arena.Episode.of(random_game(5))
    sets = [Critic(W).examples(episode, side) for side in arena.Side]
    joined = Examples.joined(sets)
    assert joined.plies.tolist() == list(range(1, episode.plies))
    for examples, ours in zip(sets, (slice(0, None, 2), slice(1, None, 2)), strict=True):
        np.testing.assert_array_equal(joined.features[ours], examples.features)
        np.testing.assert_array_equal(joined.values[ours], examples.values)


def corrected(seed: int) -> tuple[arena.Episode, arena.Board, arena.Board]:
    """A game with one correction, whose better board has other features than the board reached."""
    game = random_game(seed)
    for ply, (board, move) in enumerate(zip(game.boards, game.moves, strict=False)):
        for other in board.legal_moves:
            better, reached = board.after(other), board.after(move)
            if (features_of(better, board.side) != features_of(reached, board.side)).any():
                episode = arena.Episode.of(game, learners=(board.side,))
                return replace(episode, better={ply: better.relative}), better, reached
    raise AssertionError


@pytest.mark.parametrize("seed", range(4))
def test_a_better_move_gives_two_examples_until_it_is_preferred(seed: int) -> None:
    episode, better, reached = corrected(seed)
    (side,) = episode.learners
    x = np.array([features_of(board, side) for board in (better, reached)])
    weights = x[1] - x[0]
    critic = Critic(weights)
    plain, examples = (critic.examples(e, side) for e in (replace(episode, better=None), episode))
    values = x @ weights
    expected = [*zip(plain.features.tolist(), plain.values.tolist(), strict=True)]
    expected += [*zip(x.tolist(), [values[1] + MARGIN, values[0] - MARGIN], strict=True)]
    assert sorted(zip(examples.features.tolist(), examples.values.tolist(), strict=True)) == sorted(expected)
    weights *= -1 / (weights @ weights)
    assert len(critic.examples(episode, side).values) == len(plain.values)
    assert len(critic.examples(episode, side.other).values) == len(critic.examples(episode, side.other).features)


# The modules together.


def fresh_learner(seed: int = 1, **options: Any) -> LMS:
    learner = LMS(**options)
    learner.begin(seed)
    return learner


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


# The learner.


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
    assert both.generalizer_.seen > black.generalizer_.seen == len(expected(random_game(2), arena.Side.BLACK, True))


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
