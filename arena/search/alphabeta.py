"""Alpha-beta search, compiled.

The search is iterative deepening over negamax with principal variation search (Marsland & Campbell 1982) and a
transposition table. Moves are ordered by table, killers and history (Schaeffer 1989). With quiescence, the search
continues below the nominal depth while the side to move must capture. The result is the exact minimax value at the
nominal depth.

A selective search is not exact, but stronger. It also uses deeper entries of the table, searches late quiet moves one
or two plies less at first (Levy et al. 1989), and does not reduce the depth for a single legal quiet move.

Values are in kernel units for the side to move. If the side to move has lost, the value is ``ply - WIN``, so short wins
are preferred. A position that has occurred before, or that the rule of quiet plies ends, has value 0. If the search has
endgame tables, a position in the tables has their value.

All state is in one int64 array, the workspace: a header, tables by ply, the history table, and the stack of moves. The
transposition table is a separate array; the header holds its address.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.checkers.bitboard import MAX_MOVES, can_capture, can_step, generate, make
from arena.checkers.bits import popcount
from arena.checkers.endings import quiet_after
from arena.kernels.compiled import context_array, eager, inline_kernel, kernel, typed_kernel
from arena.search.evaluation import call_evaluator, call_pulse
from arena.search.tablebase.probing import DRAW, NOT_IN_TABLES, probe
from arena.search.values import DECIDED, INFINITY, NEVER, VALUE_LIMIT, WIN

if TYPE_CHECKING:
    import numpy as np

MAX_DEPTH = 64
"""Maximum nominal depth in plies."""
MAX_PLY = 128
"""Maximum number of plies from the root, quiescence and extensions included."""
HISTORY = 128
"""Maximum number of positions before the root that are compared to find repetitions."""

# Indices of the header.
(
    ADDRESS,
    CONTEXT,
    QUIESCENCE,
    SELECTIVE,
    TABLE,
    TABLE_MASK,
    TABLES,
    TABLE_PIECES,
    QUIET_LIMIT,
    NODE_LIMIT,
    PULSE,
    PULSE_EVERY,
    NEXT_PULSE,
    NEXT_CHECK,
    NODES,
    STOP,
    OVERFLOW,
    FOUND_MOVE,
    FOUND_VALUE,
    FOUND_DEPTH,
    FOUND_LENGTH,
) = range(21)
FOUND_PV = 32
PV_LENGTHS = FOUND_PV + MAX_PLY
"""Index of the table of lengths: number of moves of the principal variation from each ply."""
PV = PV_LENGTHS + MAX_PLY
"""Index of the principal variations; the one from ply n is at ``PV + n * MAX_PLY``."""
_KILLERS = PV + MAX_PLY * MAX_PLY
KEYS = _KILLERS + 2 * MAX_PLY
"""Index of the keys of the positions on the path; the key of the root is at ``KEYS + HISTORY``."""
_SUCCESS = KEYS + HISTORY + MAX_PLY
STACK = _SUCCESS + 1024
_STACK_SIZE = 16 * MAX_MOVES
_RANKS = _STACK_SIZE
"""Offset from a move on the stack to its rank."""
WORKSPACE = STACK + 2 * _STACK_SIZE
"""Length of a workspace."""

_EXACT, _LOWER, _UPPER = 0, 1, 2


@eager
@kernel
def key_of(own: int, opp: int, kings: int, side: int) -> int:
    """Return the 64-bit key of a position."""
    mixed = (own | opp << 32) * 0x1E3779B97F4A7C15
    mixed = (mixed ^ mixed >> 32 ^ kings << 1 ^ side) * 0x3F58476D1CE4E5B9
    return mixed ^ mixed >> 29


@kernel
def _keep(work: np.ndarray, ply: int, move: int) -> None:
    """Set the principal variation from ``ply`` to ``move`` followed by the principal variation of the next ply."""
    here = PV + ply * MAX_PLY
    below = here + MAX_PLY
    length = work[PV_LENGTHS + ply + 1]
    work[here] = move
    for i in range(length):
        work[here + 1 + i] = work[below + i]
    work[PV_LENGTHS + ply] = length + 1


@kernel
def _check(work: np.ndarray) -> None:
    """Stop the search if its node limit is reached or if the pulse function returns true."""
    if work[NODES] >= work[NODE_LIMIT]:
        work[STOP] = 1
    if work[NODES] >= work[NEXT_PULSE]:
        work[NEXT_PULSE] = work[NODES] + work[PULSE_EVERY]
        if call_pulse(work[PULSE]):
            work[STOP] = 1
    work[NEXT_CHECK] = min(work[NODE_LIMIT], work[NEXT_PULSE])


@kernel
def _recall(work: np.ndarray, key: int) -> int:
    """Return the packed entry of a position in the transposition table, or 0.

    Bits of an entry: 0-1 kind of bound · 2-9 depth + 1 · 10-19 origin and destination of the move · 32-63 value.
    """
    table = context_array(work[TABLE], 2 * work[TABLE_MASK] + 2)
    place = 2 * (key & work[TABLE_MASK] & ~1)
    if table[place] == key:
        first: int = table[place + 1]
        return first
    if table[place + 2] == key:
        second: int = table[place + 3]
        return second
    return 0


@inline_kernel
def _remember(work: np.ndarray, key: int, value: int, ply: int, depth: int, bound: int, move: int) -> None:
    """Store a position in the first of its two slots, or in the second if the first holds a deeper other position."""
    if value > DECIDED:
        value += ply
    elif value < -DECIDED:
        value -= ply
    table = context_array(work[TABLE], 2 * work[TABLE_MASK] + 2)
    place = 2 * (key & work[TABLE_MASK] & ~1)
    if table[place] != key and table[place + 1] >> 2 & 255 > depth + 1:
        place += 2
    table[place] = key
    table[place + 1] = value << 32 | (move & 1023) << 10 | depth + 1 << 2 | bound


@kernel
def _repeated(work: np.ndarray, ply: int, quiet: int) -> bool:
    """Whether the position at ``ply`` has occurred since the last capture or man's move."""
    here = KEYS + HISTORY + ply
    for back in range(4, min(quiet, HISTORY + ply) + 1, 2):
        if work[here - back] == work[here]:
            return True
    return False


@inline_kernel
def _rank(work: np.ndarray, start: int, end: int, ply: int, best: int, capture: bool) -> None:
    """Rank the moves: the move of the table first, then captures by their number of pieces, killers, and history."""
    for i in range(start, end):
        move = work[i]
        ends = move & 1023
        if ends == best:
            rank = NEVER
        elif capture:
            rank = move >> 10 & 15
        elif ends == work[_KILLERS + 2 * ply]:
            rank = NEVER - 1
        elif ends == work[_KILLERS + 2 * ply + 1]:
            rank = NEVER - 2
        else:
            rank = work[_SUCCESS + ends]
        work[i + _RANKS] = rank


@inline_kernel
def _next(work: np.ndarray, i: int, end: int) -> int:
    """Move the move with the highest rank of ``work[i:end]`` to index ``i`` and return it."""
    best = i
    for j in range(i + 1, end):
        if work[j + _RANKS] > work[best + _RANKS]:
            best = j
    move: int = work[best]
    rank = work[best + _RANKS]
    while best > i:  # the others keep their order
        work[best] = work[best - 1]
        work[best + _RANKS] = work[best - 1 + _RANKS]
        best -= 1
    work[i] = move
    work[i + _RANKS] = rank
    return move


@kernel
def _praise(work: np.ndarray, ply: int, depth: int, move: int) -> None:
    """Record a quiet move that caused a cutoff as a killer and in the history table."""
    ends = move & 1023
    if work[_KILLERS + 2 * ply] != ends:
        work[_KILLERS + 2 * ply + 1] = work[_KILLERS + 2 * ply]
        work[_KILLERS + 2 * ply] = ends
    work[_SUCCESS + ends] += depth * depth


@typed_kernel("int64(int64,int64,int64,int64,int64,int64,int64,int64,int64,int64,int64)")
def negamax(
    own: int,
    opp: int,
    kings: int,
    side: int,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    quiet: int,
    start: int,
    address: int,
) -> int:
    """Return the value of a position for its side to move (fail-soft). Its moves are written to ``work[start:]``.

    ``quiet`` is the number of plies since the last capture or man's move. ``address`` is the address of the workspace:
    Numba would count references to an array argument at every recursive call.
    """
    work = context_array(address, WORKSPACE)
    work[NODES] += 1
    if work[NODES] >= work[NEXT_CHECK]:
        _check(work)
        if work[STOP]:
            return 0
    work[PV_LENGTHS + ply] = 0
    capture = can_capture(own, opp, kings)
    if not capture and not can_step(own, opp, kings):
        return ply - WIN
    key = key_of(own, opp, kings, side)
    work[KEYS + HISTORY + ply] = key
    if quiet >= work[QUIET_LIMIT] or (quiet >= 4 and _repeated(work, ply, quiet)):
        return 0
    if work[TABLES] and popcount(own | opp) <= work[TABLE_PIECES]:
        known = probe(own, opp, kings, work[TABLES])
        if known == DRAW:
            return 0
        if known != NOT_IN_TABLES:
            return WIN - ply - known if known > 0 else ply - known - WIN
    quiescent = depth <= 0
    if (
        (quiescent and not (capture and work[QUIESCENCE]))
        or ply >= MAX_PLY - 2
        or start + MAX_MOVES > STACK + _STACK_SIZE
    ):
        value = call_evaluator(work[ADDRESS], own, opp, kings, side, work[CONTEXT])
        if not -VALUE_LIMIT < value < VALUE_LIMIT:
            work[STOP] = work[OVERFLOW] = 1
        return value

    hint = 1023
    if not quiescent:
        entry = _recall(work, key)
        if entry:
            hint = entry >> 10 & 1023
            stored_depth = (entry >> 2 & 255) - 1
            if beta - alpha == 1 and (stored_depth == depth or (stored_depth > depth and work[SELECTIVE])):
                value = entry >> 32
                if value > DECIDED:
                    value -= ply
                elif value < -DECIDED:
                    value += ply
                bound = entry & 3
                if bound == _EXACT or (bound == _LOWER and value >= beta) or (bound == _UPPER and value <= alpha):
                    return value

    end = start + generate(own, opp, kings, work, start)
    _rank(work, start, end, ply, hint, capture)
    below = depth - 1
    if work[SELECTIVE] and end - start == 1 and not capture:
        below = depth
    best = -INFINITY
    best_move = 1023
    for i in range(start, end):
        move = _next(work, i, end)
        next_own, next_opp, next_kings = make(own, opp, kings, move)
        calm = quiet_after(quiet, kings, move)
        floor = max(alpha, best)
        if i == start:
            value = -negamax(
                next_own, next_opp, next_kings, 1 - side, below, -beta, -floor, ply + 1, calm, end, address
            )
        else:
            late = 0
            if i >= start + 3 and depth >= 3 and not capture and work[SELECTIVE]:
                late = 1 + (i >= start + 6 and depth >= 6)
            value = -negamax(
                next_own, next_opp, next_kings, 1 - side, below - late, -floor - 1, -floor, ply + 1, calm, end, address
            )
            if late and value > floor and not work[STOP]:
                value = -negamax(
                    next_own, next_opp, next_kings, 1 - side, below, -floor - 1, -floor, ply + 1, calm, end, address
                )
            if floor < value < beta and not work[STOP]:
                value = -negamax(
                    next_own, next_opp, next_kings, 1 - side, below, -beta, -floor, ply + 1, calm, end, address
                )
        if work[STOP]:
            return 0
        if value > best:
            best = value
            best_move = move
            if value > alpha:
                _keep(work, ply, move)
            if value >= beta:
                if not capture:
                    _praise(work, ply, max(depth, 1), move)
                break
    if not quiescent:
        bound = _LOWER if best >= beta else _UPPER if best <= alpha else _EXACT
        _remember(work, key, best, ply, depth, bound, best_move)
    return best


@kernel
def _search_root(own: int, opp: int, kings: int, side: int, depth: int, quiet: int, end: int, work: np.ndarray) -> int:
    """Search the moves of the root, ``work[STACK:end]``, to ``depth``, and move the best one to the front.

    The result is written to the header. Of equally good moves the first wins, because the search only proves that the
    others are not better. Returns the value of the best move so far, even if the search was stopped.
    """
    address = work.ctypes.data
    best = -INFINITY
    for i in range(STACK, end):
        move = work[i]
        next_own, next_opp, next_kings = make(own, opp, kings, move)
        calm = quiet_after(quiet, kings, move)
        value = best + 1
        if i > STACK:
            value = -negamax(
                next_own, next_opp, next_kings, 1 - side, depth - 1, -best - 1, -best, 1, calm, end, address
            )
        if value > best and not work[STOP]:
            value = -negamax(
                next_own, next_opp, next_kings, 1 - side, depth - 1, -INFINITY, -best, 1, calm, end, address
            )
        if work[STOP]:
            return best
        if value > best:
            best = value
            for j in range(i, STACK, -1):
                work[j] = work[j - 1]
            work[STACK] = move
            work[FOUND_MOVE] = move
            work[FOUND_VALUE] = value
            work[FOUND_DEPTH] = depth
            work[FOUND_LENGTH] = work[PV_LENGTHS + 1]
            for j in range(work[PV_LENGTHS + 1]):
                work[FOUND_PV + j] = work[PV + MAX_PLY + j]
    return best


@eager
@kernel
def deepen(own: int, opp: int, kings: int, side: int, depth: int, quiet: int, count: int, work: np.ndarray) -> None:
    """Search the ``count`` moves in ``work[STACK:]`` to depth 1, 2, ... ``depth``, or until the search is stopped.

    Depth 1 is always completed, regardless of the limits.
    """
    work[NODES] = 1
    work[STOP] = work[OVERFLOW] = 0
    work[KEYS + HISTORY] = key_of(own, opp, kings, side)
    for i in range(1024):
        work[_SUCCESS + i] >>= 3
    work[NEXT_CHECK] = NEVER
    for now in range(1, depth + 1):
        best = _search_root(own, opp, kings, side, now, quiet, STACK + count, work)
        if now == 1:
            work[NEXT_PULSE] = work[NODES] + work[PULSE_EVERY]
            work[NEXT_CHECK] = 0
        if work[STOP] or (abs(best) > DECIDED and WIN - abs(best) <= now):
            return


@kernel
def clear_ordering(work: np.ndarray) -> None:
    """Clear the killers and the history table."""
    work[_KILLERS : _KILLERS + 2 * MAX_PLY] = 1023
    work[_SUCCESS : _SUCCESS + 1024] = 0
