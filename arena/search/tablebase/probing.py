"""Looks up positions in endgame tables, compiled, for the search and for solving larger slices.

Tables hold a byte for each position: 0 for a draw, n + 1 for a game that ends in n plies. The side that cannot move
loses, so the side to move wins if n is odd, and loses if n is even.

Kernels get the address of the *context* of the tables, an int64 array. Its first element is the maximum number of
pieces. Then follows the address of the first byte of each slice, or 0 for a slice that is not in the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from arena.checkers.bits import popcount
from arena.kernels.compiled import context_array, instruction, kernel
from arena.search.tablebase.indexing import MOST, number

if TYPE_CHECKING:
    from collections.abc import Callable

DRAW = 0
LOST_NOW = -1
"""The side to move has no legal move. All other losses have an even number of plies, so -1 has no other meaning."""
NOT_IN_TABLES = 1 << 20

_BASE = MOST + 1
CONTEXT_LENGTH = 1 + _BASE**4
_OWN_KING_ROW = 0xF0000000
_OPP_KING_ROW = 0x0000000F


def _load(_typing: Any, _address: Any) -> Any:
    from numba import types

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        return builder.zext(builder.load(pointer), ir.IntType(64))

    return types.int64(types.int64), codegen


_byte_at: Callable[[int], int] = instruction(_load)
"""Return the byte at an address."""


@kernel
def slot(own_men: int, own_kings: int, opp_men: int, opp_kings: int) -> int:
    """Return the index of the address of a slice in the context."""
    return 1 + ((own_men * _BASE + own_kings) * _BASE + opp_men) * _BASE + opp_kings


@kernel
def probe(own: int, opp: int, kings: int, context: int) -> int:
    """Return the exact value for the side to move; the history of the game does not count.

    The value is +n for a win in n plies (of both sides, to the end of the game), -n for a loss in n plies,
    :data:`LOST_NOW` if the side has no legal move, :data:`DRAW`, or :data:`NOT_IN_TABLES`.
    """
    if own == 0:
        return LOST_NOW
    if (
        opp == 0
        or popcount(own | opp) > context_array(context, CONTEXT_LENGTH)[0]
        or (own & _OWN_KING_ROW | opp & _OPP_KING_ROW) & ~kings
    ):
        return NOT_IN_TABLES
    which = slot(popcount(own & ~kings), popcount(own & kings), popcount(opp & ~kings), popcount(opp & kings))
    start = context_array(context, CONTEXT_LENGTH)[which]
    if start == 0:
        return NOT_IN_TABLES
    stored = _byte_at(start + number(own, opp, kings))
    if stored == 0:
        return DRAW
    if stored & 1:
        return LOST_NOW if stored == 1 else 1 - stored
    return stored - 1
