"""Compiled games follow the rules of Board and Game, and give positions the values of the search."""

from __future__ import annotations

import ctypes
from collections import Counter

import numpy as np
import pytest

import arena
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.contracts.evaluator import KERNEL_TYPE
from arena.search import Search
from arena.search.evaluation import EvaluatorError
from arena.search.selfplay import Games
from arena_evaluators.heuristic import Heuristic
from arena_evaluators.material import Material

SEATS = {
    "random": RANDOM_MOVES,
    "material": arena.CompiledPlayer(Material().kernel(), depth=1, quiescence=True),
    "heuristic": arena.CompiledPlayer(Heuristic().kernel(), depth=2, explore=0.2),
    "softmax": arena.CompiledPlayer(Heuristic().kernel(), temperature=3.0),
}


def replayed(episode: arena.Episode, rules: arena.DrawRules) -> arena.Game:
    """Return the episode as a game; every board must follow from the one before by a legal move."""
    game = arena.Game(episode.board(0), rules)
    for ply in range(1, episode.plies + 1):
        assert game.outcome is None
        game.play(next(move for move in game.board.legal_moves if game.board.after(move) == episode.board(ply)))
    return game


@pytest.mark.parametrize("black", SEATS)
@pytest.mark.parametrize("white", SEATS)
def test_games_follow_the_rules_to_their_end(black: str, white: str) -> None:
    for rules in (arena.DrawRules(), arena.DrawRules(repetitions=None, quiet_plies=12, ply_cap=90)):
        games = Games(SEATS[black], SEATS[white], rules, random_plies=3)
        for number in range(5):
            episode = games.play(7, number)
            outcome = replayed(episode, rules).outcome
            assert outcome is not None
            assert (episode.winner, episode.termination) == (outcome.winner, outcome.termination)


def test_games_start_from_any_position() -> None:
    board = arena.Board.from_fen("W:W21,22,K23:B1,2,K3")
    episode = Games(RANDOM_MOVES, RANDOM_MOVES).play(1, 1, board)
    assert episode.board(0) == board
    assert episode.first is arena.Side.WHITE
    replayed(episode, arena.DrawRules())


def test_values_agree_with_the_search() -> None:
    player = SEATS["heuristic"]
    episode = Games(player, player).play(3, 0)
    assert episode.values is not None
    assert episode.explored is not None
    assert episode.leaves is not None
    np.testing.assert_array_equal(np.isnan(episode.values), episode.explored)
    game = arena.Game()
    for ply in range(episode.plies):
        if not episode.explored[ply]:
            search = Search(Heuristic(), quiescence=False)
            assert search(game, depth=2).score == pytest.approx(episode.values[ply])
        move = next(move for move in game.board.legal_moves if game.board.after(move) == episode.board(ply + 1))
        game.play(move)


def test_explored_moves_have_the_given_share_and_are_equally_likely() -> None:
    games = Games(arena.CompiledPlayer(Material().kernel(), explore=0.25), RANDOM_MOVES)
    episodes = [games.play(1, number) for number in range(200)]
    explored = np.concatenate([episode.explored[::2] for episode in episodes if episode.explored is not None])
    assert explored.mean() == pytest.approx(0.25, abs=4 * np.sqrt(0.25 * 0.75 / len(explored)))
    first = Counter(Games(RANDOM_MOVES, RANDOM_MOVES).play(2, number).board(1) for number in range(700))
    assert len(first) == 7
    assert min(first.values()) > 60


def test_a_value_out_of_range_is_an_error() -> None:
    callback = KERNEL_TYPE(lambda *_: 2_000_000)
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0
    with pytest.raises(EvaluatorError, match="range"):
        Games(arena.CompiledPlayer(arena.Kernel(address, keepalive=callback)), RANDOM_MOVES).play(1, 0)


def test_rules_without_a_ply_cap_are_refused() -> None:
    with pytest.raises(ValueError, match="ply cap"):
        Games(RANDOM_MOVES, RANDOM_MOVES, arena.DrawRules(ply_cap=None))
