"""Perft, the standard test of a move generator: counts the paths of the move tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.checkers import bitboard

if TYPE_CHECKING:
    from arena.checkers.board import Board

_DEEPEST = 9
"""Maximum depth in plies of one compiled call. Ctrl-C takes effect between the calls."""


def perft(board: Board, depth: int, unique: bool = False) -> int:
    """Return the number of paths of ``depth`` plies from ``board``; raises ValueError for a negative depth.

    Every capture route counts. With ``unique``, moves of a position that lead to the same position count once. From
    the initial position the two counts differ from depth 12 on.
    """
    if depth < 0:
        raise ValueError(f"the depth of a perft is at least 0, not {depth}")
    if depth == 0:
        return 1
    if depth > _DEEPEST:
        boards = [board.after(move) for move in board.legal_moves]
        return sum(perft(after, depth - 1, unique) for after in (set(boards) if unique else boards))
    count = bitboard.perft_unique if unique else bitboard.perft
    moves = np.empty(depth * bitboard.MAX_MOVES, dtype=np.int64)
    return int(count(*board.relative, depth, moves, 0))
