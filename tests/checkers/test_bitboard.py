"""The kernels of the move generator: order, codes and numbers of moves. `test_perft` checks the counts."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given

import arena
from arena.checkers import bitboard
from arena.checkers.move import MOVES, MOVES_BY_NUMBER
from positions import boards

STEPS = ((1, -1), (1, 1), (-1, -1), (-1, 1))
"""Change of row and column of a step in each direction, as the mover sees the board."""


def _generated(board: arena.Board) -> list[int]:
    moves = np.zeros(bitboard.MAX_MOVES, dtype=np.int64)
    return moves[: bitboard.generate(*board.relative, moves, 0)].tolist()


def _directions(move: arena.Move, side: arena.Side) -> list[int]:
    cells = []
    for square in move.path:
        index = square - 1 if side is arena.Side.BLACK else 32 - square
        cells.append((index // 4, 2 * (index % 4) + (1 - index // 4 % 2)))
    length = 2 if move.captures else 1
    return [STEPS.index(((r2 - r1) // length, (c2 - c1) // length)) for (r1, c1), (r2, c2) in itertools.pairwise(cells)]


@given(boards())
def test_moves_come_in_the_documented_order(board: arena.Board) -> None:
    """By direction of the first step, then by origin, then by the directions of the following jumps."""

    def key(move: arena.Move) -> tuple[int, int, list[int]]:
        first, *others = _directions(move, board.side)
        return first, move.path[0] if board.side is arena.Side.BLACK else -move.path[0], others

    assert list(board.legal_moves) == sorted(board.legal_moves, key=key)


@given(boards())
def test_the_kernels_agree_with_each_other(board: arena.Board) -> None:
    codes = _generated(board)
    scratch = np.zeros(bitboard.MAX_MOVES, dtype=np.int64)
    assert bitboard.count_moves(*board.relative, scratch, 0) == len(codes)
    assert bitboard.can_capture(*board.relative) == any(code >> 32 for code in codes)
    origins = [0] * 4
    for code in codes:
        move = MOVES[board.side][code]
        origins[_directions(move, board.side)[0]] |= 1 << (code & 31)
    movers = bitboard.jumpers if bitboard.can_capture(*board.relative) else bitboard.walkers
    assert [movers(*board.relative, direction) for direction in range(4)] == origins
    assert list(board.move_codes()) == codes


@given(boards())
def test_a_code_and_a_number_name_the_same_move(board: arena.Board) -> None:
    numbers = bitboard.legal_numbers(board.black, board.white, board.kings, board.side == 1)
    assert [MOVES_BY_NUMBER[board.side][number] for number in numbers] == [
        MOVES[board.side][code] for code in _generated(board)
    ]
    assert all(number < 256 or len(MOVES_BY_NUMBER[board.side][number].captures) > 1 for number in numbers)


@given(boards())
def test_make_rotates_the_board_for_the_next_side(board: arena.Board) -> None:
    for code in _generated(board):
        assert bitboard.make(*board.relative, code) == board.after(MOVES[board.side][code]).relative
