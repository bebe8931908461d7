"""The training examples that the critic of LMS makes of a game."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import arena
from arena_evaluators.linear import features_of
from arena_learners.examples import Examples
from arena_learners.lms import MARGIN, Critic
from lms_games import W, boards_learned, corrected, fresh_learner
from positions import random_game


@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("after_own_move", [True, False])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("learner", arena.Side)
def test_the_critic_uses_the_value_of_the_successor(
    seed: int, learner: arena.Side, after_own_move: bool, final: bool
) -> None:
    game = random_game(seed)
    examples = Critic(W, after_own_move, final).examples(arena.Episode.of(game), learner)
    boards = boards_learned(game, learner, after_own_move, final)
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
            number = len(boards_learned(game, side, after_own_move, final))
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
