"""What searches find out about many positions in one compiled call."""

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
    """What an evaluator's search gives each board for its side to move, in kernel units (int64, n).

    ``boards``: masks own, opp, kings as the mover sees them, int64, (n, 3); the mover counts as Black. The search goes
    ``depth`` plies deep and, with ``quiescence``, on while there are captures. A forced win in n plies is worth
    :data:`arena.search.values.WIN` - n.
    """
    work, _table = workspace(kernel, quiescence)
    values = np.empty(len(boards), dtype=np.int64)  # (n,)
    _search(boards, depth, work, values)
    return values


def workspace(kernel: arena.Kernel, quiescence: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """A workspace for searches with an evaluator that does not change, and the table that it points to."""
    work = np.zeros(WORKSPACE, dtype=np.int64)
    table = np.zeros(2 * _ENTRIES, dtype=np.int64)
    work[ADDRESS], work[CONTEXT] = kernel.address, kernel.context_address
    work[QUIESCENCE], work[QUIET_LIMIT], work[NEXT_CHECK] = quiescence, NEVER, NEVER
    work[TABLE], work[TABLE_MASK] = table.ctypes.data, _ENTRIES - 1
    return work, table


@arena.kernel
def value_of(own: int, opp: int, kings: int, depth: int, work: int) -> int:
    """What a search in the workspace at that address gives a board, as :func:`lookahead` does."""
    value: int = negamax(own, opp, kings, 0, depth, -INFINITY, INFINITY, 0, 0, STACK, work)
    return value


@arena.kernel
def _search(boards: np.ndarray, depth: int, work: np.ndarray, values: np.ndarray) -> None:
    for i in range(len(boards)):
        own, opp, kings = boards[i]
        values[i] = value_of(own, opp, kings, depth, work.ctypes.data)
