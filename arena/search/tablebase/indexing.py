"""Numbers the positions of a slice consecutively, compiled.

A slice contains all positions with the same numbers of own men, own kings, opponent's men and opponent's kings. Boards
are relative to the side to move (:mod:`arena.checkers.bitboard`): own men are on squares 0-27, the opponent's men on
4-31, kings anywhere.

The pieces are placed in this order: own men, opponent's men, own kings, opponent's kings. For each kind, the set of its
squares has a rank, in the combinatorial number system, among the sets of free squares of that size. The ranks together
give the number of the position. The number of squares that are free for the opponent's men depends on the number of own
men on squares 4-27. Therefore positions are ordered by this number first.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np

from arena.checkers.bits import popcount
from arena.kernels.compiled import kernel

MOST = 5
"""Maximum number of men, and of kings, of a side in a slice."""
_BACK = 0xF
"""Squares 0-3, on which own men can stand but the opponent's men cannot."""

CHOOSE = np.array([[comb(n, k) for k in range(MOST + 1)] for n in range(33)])  # (33, 6)


@cache
def subsets() -> np.ndarray:
    """Return the masks of all sets of k of the 32 squares: int64, row k, column rank of the set."""
    table = np.zeros((MOST + 1, comb(32, MOST)), dtype=np.int64)  # (6, 201376)
    for k in range(MOST):
        by_highest = [1 << highest | table[k, : comb(highest, k)] for highest in range(k, 32)]
        table[k + 1, : comb(32, k + 1)] = np.concatenate(by_highest)
    return table


def men_count(own_men: int, opp_men: int, midway: int) -> int:
    """Number of ways to place all men with ``midway`` own men on squares 4-27."""
    return comb(24, midway) * comb(4, own_men - midway) * comb(28 - midway, opp_men)


# Number of the first placement, by own men, opponent's men, and own men on squares 4-27: (6, 6, 7)
MEN_START = np.array(
    [
        [
            [sum(men_count(own, opp, j) for j in range(min(m, own + 1))) for m in range(MOST + 2)]
            for opp in range(MOST + 1)
        ]
        for own in range(MOST + 1)
    ]
)


@kernel
def rank(pieces: int, taken: int) -> int:
    """Return the rank of a set of squares among all sets of its size without the squares ``taken``."""
    result = 0
    count = 0
    while pieces:
        lowest = pieces & -pieces
        count += 1
        result += CHOOSE[popcount(lowest - 1 & ~taken), count]
        pieces ^= lowest
    return result


@kernel
def spread_out(pieces: int, taken: int) -> int:
    """Return the squares of the board for ``pieces``, whose bits count only squares that are not ``taken``."""
    while taken:
        below = (taken & -taken) - 1
        pieces = pieces & below | (pieces & ~below) << 1
        taken &= taken - 1
    return pieces


@kernel
def number(own: int, opp: int, kings: int) -> int:
    """Return the number of a position in its slice."""
    men = own & ~kings
    midway = popcount(men >> 4)
    opp_men = opp & ~kings
    own_men_count = popcount(men)
    opp_men_count = popcount(opp_men)
    result: int = rank(men >> 4, 0) * CHOOSE[4, own_men_count - midway] + rank(men & _BACK, 0)
    result = result * CHOOSE[28 - midway, opp_men_count] + rank(opp_men >> 4, men >> 4)
    result += MEN_START[own_men_count, opp_men_count, midway]
    taken = men | opp_men
    free = 32 - own_men_count - opp_men_count
    own_kings = own & kings
    own_kings_count = popcount(own_kings)
    result = result * CHOOSE[free, own_kings_count] + rank(own_kings, taken)
    opp_kings = opp & kings
    result *= CHOOSE[free - own_kings_count, popcount(opp_kings)]
    return result + rank(opp_kings, taken | own_kings)


@kernel
def position(
    number: int, own_men: int, own_kings: int, opp_men: int, opp_kings: int, table: np.ndarray
) -> tuple[int, int, int]:
    """Return ``own``, ``opp`` and ``kings`` of a position of a slice; ``table`` is :func:`subsets`."""
    free = 32 - own_men - opp_men
    ways = CHOOSE[free - own_kings, opp_kings]
    last = table[opp_kings, number % ways]
    number //= ways
    ways = CHOOSE[free, own_kings]
    crowned = table[own_kings, number % ways]
    number //= ways
    midway = 0
    while midway < own_men and number >= MEN_START[own_men, opp_men, midway + 1]:
        midway += 1
    number -= MEN_START[own_men, opp_men, midway]
    ways = CHOOSE[28 - midway, opp_men]
    theirs = table[opp_men, number % ways]
    number //= ways
    ways = CHOOSE[4, own_men - midway]
    men = table[midway, number // ways] << 4 | table[own_men - midway, number % ways]
    theirs = spread_out(theirs, men >> 4) << 4
    crowned = spread_out(crowned, men | theirs)
    last = spread_out(last, men | theirs | crowned)
    return men | crowned, theirs | last, crowned | last
