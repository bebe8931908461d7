"""Searches of many positions in one compiled call."""

from __future__ import annotations

import numpy as np

import arena
from arena.search.alphabeta import (
    ADDRESS,
    CONTEXT,
    NEXT_CHECK,
    QUIESCENCE,
    QUIET_LIMIT,
    STACK,
    TABLE,
    TABLE_MASK,
    WORKSPACE,
    negamax,
)
from arena.search.values import INFINITY, NEVER

_ENTRIES = 1 << 14


def lookahead(kernel: arena.Kernel, boards: np.ndarray, depth: int, quiescence: bool = True) -> np.ndarray:
    """Return the search value of each board for its side to move, in kernel units: int64, (n,).

    ``boards``: masks own, opp, kings for the side to move, int64, (n, 3); the side to move counts as Black. ``depth``:
    plies; with ``quiescence`` the search continues while there are captures. A forced win in n plies is worth
    :data:`arena.search.values.WIN` - n.
    """
    work, _table = workspace(kernel, quiescence)
    values = np.empty(len(boards), dtype=np.int64)  # (n,)
    _search(boards, depth, work, values)
    return values


def workspace(kernel: arena.Kernel, quiescence: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Return a workspace for searches with a constant evaluator, and the table that the workspace points to."""
    work = np.zeros(WORKSPACE, dtype=np.int64)
    table = np.zeros(2 * _ENTRIES, dtype=np.int64)
    work[ADDRESS], work[CONTEXT] = kernel.address, kernel.context_address
    work[QUIESCENCE], work[QUIET_LIMIT], work[NEXT_CHECK] = quiescence, NEVER, NEVER
    work[TABLE], work[TABLE_MASK] = table.ctypes.data, _ENTRIES - 1
    return work, table


@arena.kernel
def value_of(own: int, opp: int, kings: int, depth: int, work: int) -> int:
    """Return the search value of a board, as :func:`lookahead` does; ``work``: address of a workspace."""
    value: int = negamax(own, opp, kings, 0, depth, -INFINITY, INFINITY, 0, 0, STACK, work)
    return value


@arena.kernel
def _search(boards: np.ndarray, depth: int, work: np.ndarray, values: np.ndarray) -> None:
    for i in range(len(boards)):
        own, opp, kings = boards[i]
        values[i] = value_of(own, opp, kings, depth, work.ctypes.data)
