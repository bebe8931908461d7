"""Solves a group of slices by retrograde analysis, compiled.

Source: K. Thompson, "Retrograde analysis of certain endgames", ICCA Journal 9 (3), 1986.

1. :func:`prepare` values every position by its moves that leave the group (captures and crownings), and counts its
   moves that stay in the group.
2. :func:`settle` propagates the values of positions to their predecessors, in increasing order of plies. A loss in n
   plies makes every predecessor a win in n + 1 plies. A win reduces the number of open moves of every predecessor; a
   predecessor without open moves is a loss.
3. A position that is never reached is a draw.

``values`` holds the bytes of :mod:`arena.search.tablebase.probing` for all slices of the group. ``open_moves`` holds,
for each position, the number of moves that may still avoid a loss; 0 if no quiet move of the group is legal.
"""

from __future__ import annotations

import numpy as np

from arena.checkers.bitboard import (
    FULL,
    KING_ROW,
    MAX_MOVES,
    STEP,
    can_capture,
    generate,
    make,
    shift,
    walkers,
)
from arena.checkers.bits import lowest, popcount, rotate
from arena.kernels.compiled import kernel
from arena.search.tablebase.indexing import number, position
from arena.search.tablebase.probing import DRAW, LOST_NOW, probe

_BLOCK = 64
_NEVER = 1 << 20


@kernel
def _crownings(own: int, opp: int, kings: int, moves: np.ndarray) -> int:
    """Write the quiet moves of men to the king row to ``moves`` and return their number."""
    n = 0
    for direction in range(2):
        movers = walkers(own, opp, kings, direction) & ~kings & KING_ROW >> 4
        while movers:
            origin = lowest(movers)
            movers &= movers - 1
            moves[n] = STEP[direction, origin] << 5 | origin
            n += 1
    return n


@kernel
def _worth(own: int, opp: int, kings: int, moves: np.ndarray, n: int, context: int) -> tuple[int, int, int]:
    """Return the result of the first ``n`` moves, which leave the group.

    The result is the plies of the shortest win, the plies of the longest loss, and the number of draws.
    """
    shortest, longest, draws = _NEVER, 0, 0
    for i in range(n):
        next_own, next_opp, next_kings = make(own, opp, kings, moves[i])
        value = probe(next_own, next_opp, next_kings, context)
        if value == DRAW:
            draws += 1
        elif value == LOST_NOW:
            shortest = 1
        elif value < 0:
            shortest = min(shortest, 1 - value)
        else:
            longest = max(longest, 1 + value)
    return shortest, longest, draws


@kernel
def prepare(
    values: np.ndarray,
    open_moves: np.ndarray,
    offset: int,
    first: int,
    last: int,
    own_men: int,
    own_kings: int,
    opp_men: int,
    opp_kings: int,
    table: np.ndarray,
    context: int,
) -> int:
    """Value positions ``first`` to ``last`` (exclusive) of the slice at ``offset`` by the moves that leave the group.

    Returns the highest byte written.
    """
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    highest = 0
    for i in range(first, last):
        own, opp, kings = position(i, own_men, own_kings, opp_men, opp_kings, table)
        staying = 0
        if can_capture(own, opp, kings):
            leaving = generate(own, opp, kings, moves, 0)
            shortest, longest, draws = _worth(own, opp, kings, moves, leaving, context)
        else:
            leaving = _crownings(own, opp, kings, moves)
            shortest, longest, draws = _worth(own, opp, kings, moves, leaving, context)
            staying = draws - leaving
            for direction in range(4):
                staying += popcount(walkers(own, opp, kings, direction))
        if shortest < _NEVER:
            stored = shortest + 1
        elif staying or draws:
            stored = 0
        else:
            stored = longest + 1
        open_moves[offset + i] = staying
        values[offset + i] = stored
        highest = max(highest, stored)
    return highest


@kernel
def _holds(values: np.ndarray, first: int, last: int, wanted: np.uint8) -> bool:
    """Whether ``values[first:last]`` contains ``wanted``. The loop has no early exit, so the compiler vectorizes it."""
    seen = False
    for i in range(first, last):
        seen |= values[i] == wanted
    return seen


@kernel
def settle(
    stored: int,
    values: np.ndarray,
    open_moves: np.ndarray,
    offset: int,
    mirror: int,
    first: int,
    last: int,
    own_men: int,
    own_kings: int,
    opp_men: int,
    opp_kings: int,
    table: np.ndarray,
    context: int,
) -> tuple[int, int]:
    """Propagate the values of those positions ``first`` to ``last`` (exclusive) of a slice whose byte is ``stored``.

    The slice is at ``offset``; the predecessors of its positions are in its mirror image, at ``mirror``. Returns the
    number of positions with this byte and the highest byte written.
    """
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    lost = stored & 1
    wanted = np.uint8(stored)
    found = 0
    highest = 0
    for block in range(offset + first, offset + last, _BLOCK):
        end = min(block + _BLOCK, offset + last)
        if not _holds(values, block, end, wanted):
            continue
        for i in range(block, end):
            if values[i] != wanted:
                continue
            found += 1
            next_own, next_opp, next_kings = position(i - offset, own_men, own_kings, opp_men, opp_kings, table)
            own, opp, kings = rotate(next_opp), rotate(next_own), rotate(next_kings)
            empty = ~(own | opp) & FULL
            for direction in range(4):
                movers = own if direction < 2 else own & kings
                origins = shift(movers, 3 - direction) & empty
                while origins:
                    origin = lowest(origins)
                    origins &= origins - 1
                    step = 1 << origin | 1 << STEP[direction, origin]
                    before = own ^ step
                    before_kings = kings ^ step if kings >> STEP[direction, origin] & 1 else kings
                    j = mirror + number(before, opp, before_kings)
                    if open_moves[j] == 0:
                        continue
                    if lost:
                        if values[j] == 0 or values[j] > stored + 1:
                            values[j] = stored + 1
                            highest = max(highest, stored + 1)
                        continue
                    open_moves[j] -= 1
                    if open_moves[j] == 0 and values[j] == 0:
                        n = _crownings(before, opp, before_kings, moves)
                        _, longest, _ = _worth(before, opp, before_kings, moves, n, context)
                        loss = max(stored, longest) + 1
                        values[j] = loss
                        highest = max(highest, loss)
    return found, highest
