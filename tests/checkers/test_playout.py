"""Compiled random games follow the rules of Game."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings

import arena
from arena.checkers.endings import ENDINGS
from arena.checkers.playout import random_game, random_games
from positions import boards

RULES = [
    arena.DrawRules(),
    arena.DrawRules(repetitions=2, quiet_plies=10, ply_cap=60),
    arena.DrawRules(repetitions=None, quiet_plies=None, ply_cap=300),
    arena.DrawRules(repetitions=None, quiet_plies=6, ply_cap=40),
]


def _check(board: arena.Board, seed: int, number: int, rules: arena.DrawRules, row: np.ndarray) -> arena.Game:
    """Replay a compiled game in :class:`arena.Game`: every move is legal, and the game ends after the last."""
    played = random_game(board, seed, number, rules)
    game = arena.Game(board, rules)
    for move in played.moves:
        assert game.outcome is None
        game.play(move)
    assert game.outcome is not None
    assert (game.ply, game.outcome.termination) == (row[0], ENDINGS[row[1]])
    return game


@pytest.mark.parametrize("rules", RULES)
def test_games_from_the_initial_position_end_by_the_rules(rules: arena.DrawRules) -> None:
    rows = random_games(arena.Board.start(), 300, 5, rules)
    games = [_check(arena.Board.start(), 5, number, rules, row) for number, row in enumerate(rows)]
    assert len({game.moves for game in games}) == 300


def test_every_ending_occurs() -> None:
    rules = arena.DrawRules(repetitions=2, quiet_plies=20, ply_cap=90)
    endings = Counter(random_games(arena.Board.start(), 2000, 1, rules)[:, 1].tolist())
    assert set(endings) == set(range(len(ENDINGS)))


@settings(max_examples=200)
@given(boards())
def test_games_from_any_position_end_by_the_rules(board: arena.Board) -> None:
    for number, row in enumerate(random_games(board, 3, 7)):
        _check(board, 7, number, arena.DrawRules(), row)


def test_legal_moves_are_equally_likely() -> None:
    first = Counter(random_game(arena.Board.start(), 3, number).moves[0] for number in range(7000))
    assert set(first) == set(arena.Board.start().legal_moves)
    assert all(850 < times < 1150 for times in first.values())


def test_the_same_seed_gives_the_same_games_and_another_seed_gives_others() -> None:
    start = arena.Board.start()
    assert np.array_equal(random_games(start, 100, 1), random_games(start, 100, 1))
    assert not np.array_equal(random_games(start, 100, 1)[1:], random_games(start, 100, 2)[:-1])


def test_rules_without_a_ply_cap_are_refused() -> None:
    with pytest.raises(ValueError, match="ply cap"):
        random_games(arena.Board.start(), 1, 1, arena.DrawRules(ply_cap=None))
