"""Counting the tree of moves: the standard test of a move generator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.checkers import bitboard

if TYPE_CHECKING:
    from arena.checkers.board import Board

_DEEPEST = 9
"""Plies that one compiled call counts; Ctrl-C is heard between the calls."""


def perft(board: Board, depth: int, unique: bool = False) -> int:
    """Number of paths of ``depth`` plies from ``board``; raises ValueError for a negative depth.

    Every capture route counts on its own, unless ``unique``: then the moves of a position that lead to the
    same position count once. From the start the two differ from depth 12 on.
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
