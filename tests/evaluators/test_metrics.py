"""The ten metrics agree with their definition on squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given

import arena
from arena_evaluators.metrics import NAMES, WEIGHTS, Metrics, metrics, score, table
from positions import boards, random_game

if TYPE_CHECKING:
    Grid = dict[tuple[int, int], int]

START = (0xFFF, 0xFFF00000, 0)


def seen_by(own: int, opp: int, kings: int) -> Grid:
    """Pieces by row and column of the own view: 1 own man, 3 own king, -1 and -3 the enemy's."""
    grid = {}
    for square in range(32):
        row = square // 4
        worth = 3 if kings >> square & 1 else 1
        grid[row, 2 * (square % 4) + (row % 2 == 0)] = worth * ((own >> square & 1) - (opp >> square & 1))
    return grid


def turned(grid: Grid) -> Grid:
    return {(7 - row, 7 - column): -piece for (row, column), piece in grid.items()}


def jumps_of(grid: Grid, row: int, column: int) -> int:
    """Number of jumps in all chains of one piece."""
    piece, count = grid[row, column], 0
    for down in (1, -1) if piece == 3 else (1,):
        for right in (1, -1):
            over, to = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if grid.get(over, 0) < 0 and grid.get(to) == 0:
                count += 1 + jumps_of(grid | {(row, column): 0, over: 0, to: piece}, *to)
    return count


def moves_of(grid: Grid) -> int:
    own = [place for place, piece in grid.items() if piece > 0]
    jumps = sum(jumps_of(grid, *place) for place in own)
    if jumps:
        return jumps
    return sum(
        grid.get((row + down, column + right)) == 0
        for row, column in own
        for down in ((1, -1) if grid[row, column] == 3 else (1,))
        for right in (1, -1)
    )


def inside(row: int, column: int) -> bool:
    return 0 < row < 7 and 0 < column < 7


def alone(grid: Grid) -> int:
    return sum(
        piece > 0
        and inside(row, column)
        and not any(grid[row + down, column + right] > 0 for down in (1, -1) for right in (1, -1))
        for (row, column), piece in grid.items()
    )


def safe(grid: Grid) -> int:
    count = 0
    for (row, column), piece in grid.items():
        if piece > 0:
            around = {(d, r): grid.get((row + d, column + r), 0) > 0 for d in (1, -1) for r in (1, -1)}
            pairs = [((1, 1), (1, -1)), ((-1, 1), (-1, -1)), ((1, 1), (-1, 1)), ((1, -1), (-1, -1))]
            count += not inside(row, column) or any(around[a] and around[b] for a, b in pairs)
    return count


def on_rows(grid: Grid, low: int, high: int) -> int:
    return sum(piece > 0 and low <= row <= high for (row, _), piece in grid.items())


def definition(own: int, opp: int, kings: int) -> dict[str, int]:
    us = seen_by(own, opp, kings)
    them = turned(us)

    def difference(kind: int) -> int:
        return list(us.values()).count(kind) - list(them.values()).count(kind)

    return {
        "capped": 12 - sum(piece < 0 for piece in us.values()),
        "potential": moves_of(us) - moves_of(them),
        "men": difference(1),
        "kings": difference(3),
        "caps": alone(them) - alone(us),
        "semicaps": 12 - safe(us) - alone(us),
        "uncaps": safe(us) - safe(them),
        "mid": on_rows(us, 3, 4) - on_rows(them, 3, 4),
        "far": on_rows(us, 5, 7) - on_rows(them, 5, 7),
        "won": -1 if moves_of(us) == 0 else 1 if moves_of(them) == 0 else 0,
    }


@given(boards())
def test_the_metrics_are_those_of_the_definition(board: arena.Board) -> None:
    assert dict(zip(NAMES, metrics(*board.relative).tolist(), strict=True)) == definition(*board.relative)


def test_metrics_follow_their_definition_throughout_games() -> None:
    played = np.array([board.relative for seed in range(5) for board in random_game(seed).boards])
    expected = [list(definition(*masks).values()) for masks in played.tolist()]
    np.testing.assert_array_equal(table(played), expected)


def test_all_metrics_are_0_at_the_start() -> None:
    assert metrics(*START).tolist() == [0] * 10
    assert score(*START) == 0


def test_each_jump_of_a_chain_counts_and_shared_jumps_count_once() -> None:
    chain = arena.Board.from_fen("B:W6,14,15,23:B1")  # 1x10 and then x17 or x19, and from there x26
    assert len(chain.legal_moves) == 2
    own = definition(*chain.relative)["potential"]
    assert metrics(*chain.relative)[1] == own


def test_the_score_is_the_weighted_sum() -> None:
    board = arena.Board.from_fen("B:W21,22,K30:B9,14,K27")
    named = definition(*board.relative)
    assert score(*board.relative) == (
        4 * named["capped"] + named["potential"] + named["men"] + 3 * named["kings"] + named["caps"]
        + 2 * named["semicaps"] + 3 * named["uncaps"] + 2 * named["mid"] + 3 * named["far"] + 100 * named["won"]
    )  # fmt: skip
    assert score(*board.relative) == int(np.array(list(named.values())) @ WEIGHTS)


@given(boards())
def test_the_evaluator_scores_boards_for_the_player_that_has_just_moved(board: arena.Board) -> None:
    other = board._replace(side=board.side.other)
    assert Metrics().evaluate(board) == pytest.approx(-score(*other.relative))
    assert Metrics().evaluate(board) == Metrics().evaluate(board.flipped())
