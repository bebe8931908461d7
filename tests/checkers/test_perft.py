"""The move generator against perft counts from other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import arena

SUITE = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text())
BUDGET = 4_000_000
"""Maximum count that a test computes; it covers depth 9 from the initial position."""


@pytest.mark.parametrize("position", SUITE, ids=lambda position: position["name"])
@pytest.mark.parametrize("unique", [False, True], ids=["paths", "unique"])
def test_counts_agree_with_the_oracle(position: dict, unique: bool) -> None:
    board = arena.Board.from_fen(position["fen"])
    expected = [count for count in position["unique" if unique else "paths"] if count <= BUDGET]
    assert len(expected) >= 5
    assert [arena.perft(board, depth + 1, unique) for depth in range(len(expected))] == expected


@pytest.mark.parametrize("position", SUITE, ids=lambda position: position["name"])
def test_a_flipped_board_has_the_same_number_of_paths(position: dict) -> None:
    board = arena.Board.from_fen(position["fen"])
    assert arena.perft(board.flipped(), 4) == arena.perft(board, 4)


def test_depth_zero_counts_one_path() -> None:
    assert arena.perft(arena.Board.start(), 0) == arena.perft(arena.Board.start(), 0, unique=True) == 1


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 0, not -1"):
        arena.perft(arena.Board.start(), -1)


def test_a_lost_position_has_no_paths() -> None:
    lost = arena.Board.from_fen("B:W5:B1")
    assert arena.perft(lost, 1) == 1
    assert arena.perft(arena.Board.from_fen("B:W21:B"), 3) == 0
