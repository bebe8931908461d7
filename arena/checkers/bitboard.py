"""The rules of English draughts on bitboards, compiled.

A position is three 32-bit masks relative to the side to move: ``own``, ``opp`` and ``kings`` (of both sides).
Bit n is the n-th square (PDN square n + 1) counted from the mover's side, so own men always go towards higher
squares: for White the board is turned round. Making a move turns it for the next side.

A move is one int64::

    bits 0-4 origin · 5-9 destination · 10-13 number of captured pieces · 14-31 direction of each jump, two bits
    each, first jump lowest · 32-63 mask of captured pieces

Directions: 0 forward left (towards lower columns), 1 forward right, 2 backward left, 3 backward right.

Moves are generated in this order: by the mover's direction (of the first step), then by origin, then for
captures by the directions of the following jumps. One turn captures at most nine pieces.
"""

from __future__ import annotations

import numpy as np

from arena.checkers.bits import lowest, popcount, rotate
from arena.compiled import kernel

FULL = 0xFFFFFFFF
EVEN_ROWS = 0x0F0F0F0F
ODD_ROWS = 0xF0F0F0F0
EVEN_NOT_LAST = 0x07070707
ODD_NOT_FIRST = 0xE0E0E0E0
KING_ROW = 0xF0000000
START = 0x00000FFF
"""The twelve men of the side to move at the start; the opponent's are ``rotate(START)``."""
MAX_MOVES = 1328
"""No position has more moves: this is the number of capture routes that exist on the board."""


def _steps() -> np.ndarray:
    """Index of the neighbour of each square in each direction, -1 beyond the edge."""
    table = np.full((4, 32), -1, dtype=np.int64)
    for square in range(32):
        row, column = square // 4, 2 * (square % 4) + (1 - square // 4 % 2)
        for direction, (down, right) in enumerate(((1, -1), (1, 1), (-1, -1), (-1, 1))):
            if 0 <= row + down < 8 and 0 <= column + right < 8:
                table[direction, square] = 4 * (row + down) + (column + right) // 2
    return table  # (4, 32)


STEP = _steps()
JUMP = np.where(STEP >= 0, np.take_along_axis(STEP, np.maximum(STEP, 0), axis=1), -1)  # (4, 32)


@kernel
def shift(mask: int, direction: int) -> int:
    """Every square of ``mask`` moved one step; squares that leave the board vanish."""
    if direction == 0:
        return ((mask & EVEN_ROWS) << 4 | (mask & ODD_NOT_FIRST) << 3) & FULL
    if direction == 1:
        return ((mask & EVEN_NOT_LAST) << 5 | (mask & ODD_ROWS) << 4) & FULL
    if direction == 2:
        return (mask & EVEN_ROWS) >> 4 | (mask & ODD_NOT_FIRST) >> 5
    return (mask & EVEN_NOT_LAST) >> 3 | (mask & ODD_ROWS) >> 4


@kernel
def jumpers(own: int, opp: int, kings: int, direction: int) -> int:
    """Own pieces that can capture in ``direction``."""
    movers = own if direction < 2 else own & kings
    empty = ~(own | opp) & FULL
    return shift(shift(empty, 3 - direction) & opp, 3 - direction) & movers


@kernel
def walkers(own: int, opp: int, kings: int, direction: int) -> int:
    """Own pieces that can step in ``direction`` without capturing."""
    movers = own if direction < 2 else own & kings
    return shift(~(own | opp) & FULL, 3 - direction) & movers


@kernel
def can_capture(own: int, opp: int, kings: int) -> bool:
    """Whether the side to move has a capture, and so must capture."""
    forward = jumpers(own, opp, kings, 0) | jumpers(own, opp, kings, 1)
    return (forward | jumpers(own, opp, kings, 2) | jumpers(own, opp, kings, 3)) != 0


@kernel
def _routes(own: int, opp: int, is_king: bool, origin: int, first: int, moves: np.ndarray, n: int) -> int:
    """Append every complete capture of one piece whose first jump goes in direction ``first``; the new count."""
    directions = 4 if is_king else 2
    empty = ~(own | opp) & FULL | 1 << origin
    square = JUMP[first, origin]
    captured = 1 << STEP[first, origin]
    path = first
    jumps = 1
    following = 0
    extended = False
    while True:
        if following < directions:
            over = STEP[following, square]
            land = JUMP[following, square]
            if land >= 0 and (opp & ~captured) >> over & 1 and empty >> land & 1:
                captured |= 1 << over
                path |= following << 2 * jumps
                jumps += 1
                square = land
                following = 0
                extended = False
            else:
                following += 1
            continue
        if not extended:
            moves[n] = captured << 32 | path << 14 | jumps << 10 | square << 5 | origin
            n += 1
        if jumps == 1:
            return n
        jumps -= 1
        last = path >> 2 * jumps & 3
        path &= (1 << 2 * jumps) - 1
        square = JUMP[3 - last, square]
        captured ^= 1 << STEP[last, square]
        following = last + 1
        extended = True


@kernel
def generate(own: int, opp: int, kings: int, moves: np.ndarray, start: int) -> int:
    """Write all legal moves to ``moves[start:]`` (int64, room for MAX_MOVES) and return how many."""
    n = start
    if can_capture(own, opp, kings):
        for direction in range(4):
            movers = jumpers(own, opp, kings, direction)
            while movers:
                origin = lowest(movers)
                movers &= movers - 1
                n = _routes(own, opp, kings >> origin & 1 != 0, origin, direction, moves, n)
        return n - start
    for direction in range(4):
        movers = walkers(own, opp, kings, direction)
        while movers:
            origin = lowest(movers)
            movers &= movers - 1
            moves[n] = STEP[direction, origin] << 5 | origin
            n += 1
    return n - start


@kernel
def count_moves(own: int, opp: int, kings: int, moves: np.ndarray, start: int) -> int:
    """Number of legal moves; ``moves[start:]`` is scratch space."""
    if can_capture(own, opp, kings):
        return generate(own, opp, kings, moves, start)
    forward = popcount(walkers(own, opp, kings, 0)) + popcount(walkers(own, opp, kings, 1))
    return forward + popcount(walkers(own, opp, kings, 2)) + popcount(walkers(own, opp, kings, 3))


@kernel
def make(own: int, opp: int, kings: int, move: int) -> tuple[int, int, int]:
    """``own``, ``opp``, ``kings`` after ``move``, as the next side sees them."""
    origin = 1 << (move & 31)
    destination = 1 << (move >> 5 & 31)
    captured = move >> 32
    crowned = destination if kings & origin else destination & KING_ROW
    own = own & ~origin | destination
    kings = kings & ~(origin | captured) | crowned
    return rotate(opp & ~captured), rotate(own), rotate(kings)


@kernel
def legal(black: int, white: int, kings: int, turned: bool) -> np.ndarray:
    """The legal moves of a board in absolute masks (int64); ``turned`` where White is to move."""
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    if turned:
        return moves[: generate(rotate(white), rotate(black), rotate(kings), moves, 0)]
    return moves[: generate(black, white, kings, moves, 0)]


@kernel
def perft(own: int, opp: int, kings: int, depth: int, moves: np.ndarray, start: int) -> int:
    """Number of paths of ``depth`` >= 1 plies; ``moves[start:]`` needs room for MAX_MOVES a ply."""
    if depth == 1:
        return count_moves(own, opp, kings, moves, start)
    total = 0
    end = start + generate(own, opp, kings, moves, start)
    for i in range(start, end):
        next_own, next_opp, next_kings = make(own, opp, kings, moves[i])
        total += perft(next_own, next_opp, next_kings, depth - 1, moves, end)
    return total


@kernel
def perft_unique(own: int, opp: int, kings: int, depth: int, moves: np.ndarray, start: int) -> int:
    """As :func:`perft`, with the moves of a position that lead to the same position counted once."""
    end = start + generate(own, opp, kings, moves, start)
    total = 0
    for i in range(start, end):
        result = make(own, opp, kings, moves[i])
        repeated = False
        if moves[i] >> 32:
            for j in range(start, i):
                repeated |= make(own, opp, kings, moves[j]) == result
        if not repeated:
            total += 1 if depth == 1 else perft_unique(result[0], result[1], result[2], depth - 1, moves, end)
    return total
