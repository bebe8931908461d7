"""What searches find out about many positions in one compiled call, and what of it a memory keeps."""

from __future__ import annotations

import numpy as np

import arena
from arena.search.alphabeta import (
    ADDRESS,
    CONTEXT,
    DECIDED,
    INFINITY,
    NEVER,
    NEXT_CHECK,
    QUIESCENCE,
    QUIET_LIMIT,
    STACK,
    TABLE,
    TABLE_MASK,
    WIN,
    WORKSPACE,
    negamax,
)
from arena_evaluators.rote import HIGHEST, WON

DELAY = 100
"""Kernel units by which a remembered win is worth less for each ply that it takes."""
_ENTRIES = 1 << 14


def lookahead(kernel: arena.Kernel, boards: np.ndarray, depth: int, quiescence: bool = True) -> np.ndarray:
    """What an evaluator's search gives each board for its side to move, in kernel units (int64, n).

    ``boards``: masks own, opp, kings as the mover sees them, int64, (n, 3); the mover counts as Black. The search goes
    ``depth`` plies deep and, with ``quiescence``, on while there are captures. A forced win in n plies is worth
    :data:`arena.search.alphabeta.WIN` - n.
    """
    work = np.zeros(WORKSPACE, dtype=np.int64)
    table = np.zeros(2 * _ENTRIES, dtype=np.int64)
    work[ADDRESS], work[CONTEXT] = kernel.address, kernel.context_address
    work[QUIESCENCE], work[QUIET_LIMIT], work[NEXT_CHECK] = quiescence, NEVER, NEVER
    work[TABLE], work[TABLE_MASK] = table.ctypes.data, _ENTRIES - 1
    values = np.empty(len(boards), dtype=np.int64)  # (n,)
    _search(boards, depth, work, values)
    return values


@arena.kernel
def _search(boards: np.ndarray, depth: int, work: np.ndarray, values: np.ndarray) -> None:
    for i in range(len(boards)):
        own, opp, kings = boards[i]
        values[i] = negamax(own, opp, kings, 0, depth, -INFINITY, INFINITY, 0, 0, STACK, work.ctypes.data)


@arena.kernel
def remembered(value: int) -> int:
    """What a board is remembered with to which a search gave ``value``, both in kernel units for the side to move.

    Wins that were proved stand above all that the weights can say, the sooner the higher; so do wins that the search
    itself only remembered.
    """
    size = abs(value)
    if size > DECIDED:
        size = WON - DELAY * (WIN - size)
    elif size > HIGHEST:
        size = max(size - DELAY, HIGHEST + 1)
    return size if value > 0 else -size
