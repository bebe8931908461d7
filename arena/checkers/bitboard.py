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
from arena.kernels.compiled import inline_kernel, kernel, short_kernel

FULL = 0xFFFFFFFF
EVEN_ROWS = 0x0F0F0F0F
ODD_ROWS = 0xF0F0F0F0
EVEN_NOT_LAST = 0x07070707
ODD_NOT_FIRST = 0xE0E0E0E0
KING_ROW = 0xF0000000
_LAST_SQUARE = 0x80000000
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


STEP_MOVE = (STEP << 5 | np.arange(32)).ravel()
"""The quiet move in each direction from each square, at 32 * direction + square."""

_STEP_NUMBER = np.zeros(1024, dtype=np.int64)
_STEP_NUMBER[STEP_MOVE[STEP.ravel() >= 0]] = np.flatnonzero(STEP.ravel() >= 0)


def _nearby() -> np.ndarray:
    """Mask of the squares that a man (row 0) and a king (row 1) on each square may jump over."""
    over = np.where(JUMP >= 0, 1 << np.maximum(STEP, 0), 0)
    return np.stack([over[:2].sum(axis=0), over.sum(axis=0)])  # (2, 32)


NEARBY = _nearby()


@kernel
def shift(mask: int, direction: int) -> int:
    """Every square of ``mask`` moved one step; squares that leave the board vanish."""
    if direction == 0:
        return (mask & EVEN_ROWS) << 4 | (mask & ODD_NOT_FIRST & ~KING_ROW) << 3
    if direction == 1:
        return (mask & EVEN_NOT_LAST) << 5 | (mask & ODD_ROWS & ~KING_ROW) << 4
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
def can_step(own: int, opp: int, kings: int) -> bool:
    """Whether the side to move can move without capturing; it may not where it can capture."""
    forward = walkers(own, opp, kings, 0) | walkers(own, opp, kings, 1)
    return (forward | walkers(own, opp, kings, 2) | walkers(own, opp, kings, 3)) != 0


# Whether a piece steps left or right, one of its two steps forward adds 4 to the square's index and the other, askew,
# adds 5 in even rows and 3 in odd ones; a jump is one of each. So both directions together cost little more than one.


@kernel
def _askew_up(mask: int) -> int:
    return (mask & EVEN_NOT_LAST) << 5 | (mask & ODD_NOT_FIRST & ~KING_ROW) << 3


@kernel
def _askew_down(mask: int) -> int:
    return (mask & EVEN_NOT_LAST) >> 3 | (mask & ODD_NOT_FIRST) >> 5


@kernel
def _jumps_up(opp: int, empty: int) -> tuple[int, int]:
    """Squares from where a jump forward leads that begins askew, and that ends askew."""
    return _askew_down(empty >> 4 & opp), (_askew_down(empty) & opp) >> 4


@kernel
def _kings_can_capture(own: int, opp: int, kings: int) -> bool:
    """Whether an own king can capture backward."""
    empty = ~(own | opp) & FULL
    return (_askew_up(empty << 4 & opp) | (_askew_up(empty) & opp) << 4) & own & kings != 0


@kernel
def can_capture(own: int, opp: int, kings: int) -> bool:
    """Whether the side to move has a capture, and so must capture."""
    first, second = _jumps_up(opp, ~(own | opp) & FULL)
    return (first | second) & own != 0 or _kings_can_capture(own, opp, kings)


@kernel
def _routes(own: int, opp: int, king: int, origin: int, first: int, moves: np.ndarray, n: int) -> int:
    """Append every complete capture of one piece whose first jump goes in direction ``first``; the new count.

    ``king`` is 1 for a king and 0 for a man.
    """
    square = JUMP[first, origin]
    captured = 1 << STEP[first, origin]
    if not NEARBY[king, square] & opp & ~captured:
        moves[n] = captured << 32 | first << 14 | 1 << 10 | square << 5 | origin
        return n + 1
    directions = 4 if king else 2
    empty = ~(own | opp) & FULL | 1 << origin
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
def _captures(own: int, opp: int, kings: int, moves: np.ndarray, start: int) -> int:
    """Write all captures to ``moves[start:]`` and return how many."""
    n = start
    movers = jumpers(own, opp, kings, 0) | jumpers(own, opp, kings, 1) << 32
    while movers:
        first = lowest(movers)
        movers &= movers - 1
        origin = first & 31
        n = _routes(own, opp, kings >> origin & 1, origin, first >> 5, moves, n)
    if own & kings:
        movers = jumpers(own, opp, kings, 2) | jumpers(own, opp, kings, 3) << 32
        while movers:
            first = lowest(movers)
            movers &= movers - 1
            n = _routes(own, opp, 1, first & 31, 2 + (first >> 5), moves, n)
    return n - start


@inline_kernel
def generate(own: int, opp: int, kings: int, moves: np.ndarray, start: int) -> int:
    """Write all legal moves to ``moves[start:]`` (int64, room for MAX_MOVES) and return how many."""
    if can_capture(own, opp, kings):
        return _captures(own, opp, kings, moves, start)
    n = start
    movers = walkers(own, opp, kings, 0) | walkers(own, opp, kings, 1) << 32
    while movers:
        moves[n] = STEP_MOVE[lowest(movers)]
        movers &= movers - 1
        n += 1
    if own & kings:
        movers = walkers(own, opp, kings, 2) | walkers(own, opp, kings, 3) << 32
        while movers:
            moves[n] = STEP_MOVE[64 + lowest(movers)]
            movers &= movers - 1
            n += 1
    return n - start


@inline_kernel
def count_moves(own: int, opp: int, kings: int, moves: np.ndarray, start: int) -> int:
    """Number of legal moves; ``moves[start:]`` is scratch space."""
    empty = ~(own | opp) & FULL
    own_kings = own & kings
    anywhere, anywhere_too = _jumps_up(opp, empty)
    first = anywhere & own
    second = anywhere_too & own
    if first | second:
        landings = _askew_up(first) << 4 | _askew_up(second << 4)
        if own_kings or landings & (anywhere | anywhere_too):
            return _captures(own, opp, kings, moves, start)
        return popcount(first) + popcount(second)
    count = popcount(empty >> 4 & own) + popcount(_askew_down(empty) & own)
    if own_kings:
        if _kings_can_capture(own, opp, kings):
            return _captures(own, opp, kings, moves, start)
        count += popcount(empty << 4 & own_kings) + popcount(_askew_up(empty) & own_kings)
    return count


@inline_kernel
def make(own: int, opp: int, kings: int, move: int) -> tuple[int, int, int]:
    """``own``, ``opp``, ``kings`` after ``move``, as the next side sees them."""
    origin = _LAST_SQUARE >> (move & 31)
    destination = _LAST_SQUARE >> (move >> 5 & 31)
    captured = rotate(move >> 32)
    turned = rotate(kings)  # the masks are turned before the move, so that a loop over moves does it once
    crowned = destination if turned & origin else destination & rotate(KING_ROW)
    return rotate(opp) & ~captured, rotate(own) & ~origin | destination, turned & ~(origin | captured) | crowned


@kernel
def legal(black: int, white: int, kings: int, turned: bool) -> np.ndarray:
    """The legal moves of a board in absolute masks (int64); ``turned`` where White is to move."""
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    if turned:
        return moves[: generate(rotate(white), rotate(black), rotate(kings), moves, 0)]
    return moves[: generate(black, white, kings, moves, 0)]


@kernel
def _number(move: int) -> int:
    jumps = move >> 10 & 15
    if jumps == 0:
        return int(_STEP_NUMBER[move])
    if jumps == 1:
        return 128 + 32 * (move >> 14 & 3) + (move & 31)
    return move


@short_kernel
def legal_numbers(black: int, white: int, kings: int, turned: bool) -> list[int]:
    """As :func:`legal`, the moves by numbers, as small as the interpreter likes them best.

    A step is 32 * direction + origin, a single jump 128 more, and a longer capture its code.
    """
    if turned:
        black, white, kings = rotate(white), rotate(black), rotate(kings)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    return [_number(moves[i]) for i in range(generate(black, white, kings, moves, 0))]


@kernel
def perft(own: int, opp: int, kings: int, depth: int, moves: np.ndarray, start: int) -> int:
    """Number of paths of ``depth`` >= 1 plies; ``moves[start:]`` needs room for MAX_MOVES a ply."""
    if depth == 1:
        return count_moves(own, opp, kings, moves, start)
    total = 0
    end = start + generate(own, opp, kings, moves, start)
    for i in range(start, end):
        next_own, next_opp, next_kings = make(own, opp, kings, moves[i])
        if depth == 2:
            total += count_moves(next_own, next_opp, next_kings, moves, end)
        else:
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
