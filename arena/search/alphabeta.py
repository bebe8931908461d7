"""Alpha-beta search, compiled.

Negamax with fail-soft alpha-beta bounds (Knuth & Moore 1975). Below the set depth the search goes on while
the side to move must capture (quiescence), unless it is told to stop there. Values are in kernel units for the
side to move; a position whose side to move has lost is worth ``ply - WIN``, so that short wins are preferred.

All state is one int64 array, the workspace: a header, the principal variations, and the stack of moves.
"""

from __future__ import annotations

import numpy as np

from arena.checkers.bitboard import MAX_MOVES, can_capture, generate, make, walkers
from arena.compiled import kernel, typed_kernel
from arena.search.evaluation import call_evaluator

WIN = 2_000_000
INFINITY = 3_000_000
MAX_DEPTH = 64
"""Deepest nominal depth in plies; captures may lead up to 24 plies beyond it."""
MAX_PLY = MAX_DEPTH + 25

ADDRESS, CONTEXT, QUIESCENCE, NODES = 0, 1, 2, 3
_PV_LENGTHS = 8
_PV = _PV_LENGTHS + MAX_PLY
STACK = _PV + MAX_PLY * MAX_PLY
WORKSPACE = STACK + MAX_PLY * MAX_MOVES
"""Length of a workspace."""


@kernel
def _keep(work: np.ndarray, ply: int, move: int) -> None:
    """The principal variation from ``ply`` becomes ``move`` and that of the next ply."""
    here = _PV + ply * MAX_PLY
    below = here + MAX_PLY
    length = work[_PV_LENGTHS + ply + 1]
    work[here] = move
    for i in range(length):
        work[here + 1 + i] = work[below + i]
    work[_PV_LENGTHS + ply] = length + 1


@typed_kernel("int64(int64,int64,int64,int64,int64,int64,int64,int64,int64,int64[::1])")
def negamax(
    own: int,
    opp: int,
    kings: int,
    side: int,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    start: int,
    work: np.ndarray,
) -> int:
    """Value of a position for its side to move; its moves go to ``work[start:]``."""
    work[NODES] += 1
    work[_PV_LENGTHS + ply] = 0
    if depth <= 0 and not (work[QUIESCENCE] and can_capture(own, opp, kings)):
        if not can_capture(own, opp, kings) and not (
            walkers(own, opp, kings, 0)
            | walkers(own, opp, kings, 1)
            | walkers(own, opp, kings, 2)
            | walkers(own, opp, kings, 3)
        ):
            return ply - WIN
        return call_evaluator(work[ADDRESS], own, opp, kings, side, work[CONTEXT])
    end = start + generate(own, opp, kings, work, start)
    best = ply - WIN if end == start else -INFINITY
    for i in range(start, end):
        next_own, next_opp, next_kings = make(own, opp, kings, work[i])
        value = -negamax(
            next_own, next_opp, next_kings, 1 - side, depth - 1, -beta, -max(alpha, best), ply + 1, end, work
        )
        if value > best:
            best = value
            if value > alpha:
                _keep(work, ply, work[i])
            if value >= beta:
                break
    return best


@kernel
def search_root(own: int, opp: int, kings: int, side: int, depth: int, work: np.ndarray) -> np.ndarray:
    """Search each legal move to ``depth`` >= 1.

    Returns int64 rows (move, value, *principal variation after the move, -1 filled): shape (moves, 2 + MAX_PLY).
    The values of the best moves, all of them, are exact; the others are upper bounds below the best.
    """
    work[NODES] = 1
    count = generate(own, opp, kings, work, STACK)
    rows = np.full((count, 2 + MAX_PLY), -1, dtype=np.int64)
    best = -INFINITY
    for i in range(count):
        move = work[STACK + i]
        next_own, next_opp, next_kings = make(own, opp, kings, move)
        value = -negamax(
            next_own, next_opp, next_kings, 1 - side, depth - 1, -INFINITY, 1 - best, 1, STACK + count, work
        )
        best = max(best, value)
        rows[i, 0] = move
        rows[i, 1] = value
        for j in range(work[_PV_LENGTHS + 1]):
            rows[i, 2 + j] = work[_PV + MAX_PLY + j]
    return rows
