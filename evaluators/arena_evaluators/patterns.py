"""Piece-square patterns: tables indexed by the pieces on overlapping regions of the board.

The strongest draughts engines use such tables: Scan (Letouzey 2015) and Kingsrow (Gilbert) sum the entries of large
tables, one for each region of the board. Othello programs did so before them (Buro 1998, *From simple features to
sophisticated evaluation functions*). The tables here are:

- 15 areas of four rows by two squares, at every place of the board, and 7 pairs of rows. Each region has eight squares
  with no man, an own man or an enemy man, hence 3**8 entries;
- the balance of material: own men, enemy men, own kings and enemy kings, with at most :data:`MOST_KINGS` kings a side;
- each king by its square and by the sign of the difference in pieces.

Each entry holds two weights, one for the full and one for the empty board; the number of pieces interpolates between
them. The other side of a position finds the *mirrored* entries, whose weights are the negatives. The value for one side
is therefore the negative of the value for the other, whatever is learned.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated

import numpy as np

import arena
from arena.checkers.bits import lowest, popcount

KIND = "patterns"
SHIPPED = arena.Model.shipped("arena_evaluators", "weights/patterns.safetensors")
SQUARES = 8
"""Squares of a region."""
ENTRIES: int = 3**SQUARES
"""Number of arrangements of men on a region."""
REGIONS = tuple(
    [
        tuple(4 * row + column for row in range(top, top + 4) for column in (left, left + 1))
        for left in range(3)
        for top in (0, 2, 4, 1, 3)
    ]
    + [tuple(range(4 * top, 4 * top + SQUARES)) for top in range(7)]
)
"""The squares of each region, lowest digit first: bits of the mover's view."""
MOST_KINGS = 4
_MATERIAL = len(REGIONS) * ENTRIES
_MEN = 13
_KINGS = MOST_KINGS + 1
_KING_SQUARES = _MATERIAL + _MEN * _MEN * _KINGS * _KINGS
SLOTS = _KING_SQUARES + 3 * 2 * 32
"""Number of entries in all tables."""
MOST_SLOTS = len(REGIONS) + 1 + 24
"""Maximum number of entries of a position."""
PIECES = 24
"""Pieces of the full board."""
PHASES = 2
UNITS = 512
"""Table units per unit of the value."""
_LARGEST = 2**15 - 1
LIMIT = 999_999
"""Kernel values are clipped to ± this."""


@cache
def mirror() -> np.ndarray:
    """Return the mirrored entry of each entry, which the other side uses: int64, (SLOTS,)."""
    digits = np.arange(ENTRIES)[:, None] // 3 ** np.arange(SQUARES) % 3
    swapped = np.array([0, 2, 1])[digits]
    turned = swapped @ 3 ** np.arange(SQUARES)[::-1]
    place = {frozenset(region): number for number, region in enumerate(REGIONS)}
    others = [place[frozenset(31 - square for square in region)] for region in REGIONS]
    patterns = [other * ENTRIES + turned for other in others]
    material = np.arange(_KING_SQUARES - _MATERIAL).reshape(_MEN, _MEN, _KINGS, _KINGS).transpose(1, 0, 3, 2)
    kings = np.arange(3 * 2 * 32).reshape(3, 2, 32)[::-1, ::-1, ::-1]
    return np.concatenate([*patterns, _MATERIAL + material.ravel(), _KING_SQUARES + kings.ravel()])


_POWERS = (np.arange(256)[:, None] >> np.arange(SQUARES) & 1) @ 3 ** np.arange(SQUARES)  # (256,)


@arena.inline_kernel
def _narrow(mask: int) -> int:
    """Return two of the four squares of each row, moved together: two rows fill four bits of a byte."""
    mask &= 0x33333333
    return (mask | mask >> 2) & 0x0F0F0F0F


@arena.inline_kernel
def _area(narrow: int, shift: int) -> int:
    """Return the eight squares of four rows of a narrowed mask."""
    two = narrow >> shift
    return (two | two >> 4) & 255


@arena.inline_kernel
def _area_entry(left: int, place: int, men: int, their_men: int) -> int:
    """Return the entry of an area within its region's table; ``place`` is in the order of :data:`REGIONS`."""
    rows = 4 if place > 2 else 0
    shift = 8 * (place % 3)
    mine = _area(_narrow(men >> left + rows), shift)
    theirs = _area(_narrow(their_men >> left + rows), shift)
    entry_there: int = _POWERS[mine] + 2 * _POWERS[theirs]
    return entry_there


@arena.inline_kernel
def _rows_entry(top: int, men: int, their_men: int) -> int:
    """Return the entry of two rows within their table."""
    number: int = _POWERS[men >> 4 * top & 255] + 2 * _POWERS[their_men >> 4 * top & 255]
    return number


@arena.inline_kernel
def _material_entry(own: int, opp: int, kings: int) -> int:
    """Return the entry of the balance of material."""
    mine, theirs = own & kings, opp & kings
    men = popcount(own & ~kings) * _MEN + popcount(opp & ~kings)
    return _MATERIAL + (men * _KINGS + min(popcount(mine), MOST_KINGS)) * _KINGS + min(popcount(theirs), MOST_KINGS)


@arena.inline_kernel
def _first_king_entry(own: int, opp: int) -> int:
    """Return the entry of an own king on the first square, for the difference in pieces."""
    difference = popcount(own) - popcount(opp)
    return _KING_SQUARES + 64 * ((difference > 0) - (difference < 0) + 1)


@arena.kernel
def slots(own: int, opp: int, kings: int, found: np.ndarray) -> int:
    """Write the entries of a position to ``found`` (int64, at least (MOST_SLOTS,)) and return their number."""
    men, their_men = own & ~kings, opp & ~kings
    n = 0
    for left in range(3):
        for place in range(5):
            found[n] = n * ENTRIES + _area_entry(left, place, men, their_men)
            n += 1
    for top in range(7):
        found[n] = n * ENTRIES + _rows_entry(top, men, their_men)
        n += 1
    found[n] = _material_entry(own, opp, kings)
    n += 1
    first = _first_king_entry(own, opp)
    crowned = (own | opp) & kings
    while crowned:
        square = lowest(crowned)
        crowned &= crowned - 1
        found[n] = first + 32 * (opp >> square & 1) + square
        n += 1
    return n


@arena.evaluator_kernel
def _kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001  (the ABI)
    table = arena.context_array(context, SLOTS)
    men, their_men = own & ~kings, opp & ~kings
    both = table[_material_entry(own, opp, kings)]
    base = 0
    for left in range(3):
        for place in range(5):
            both += table[base + _area_entry(left, place, men, their_men)]
            base += ENTRIES
    for top in range(7):
        both += table[base + _rows_entry(top, men, their_men)]
        base += ENTRIES
    crowned = (own | opp) & kings
    if crowned:
        first = _first_king_entry(own, opp)
        while crowned:
            square = lowest(crowned)
            crowned &= crowned - 1
            both += table[first + 32 * (opp >> square & 1) + square]
    full = (both & 0xFFFFFFFF ^ 0x80000000) - 0x80000000
    empty = both - full >> 32
    pieces = popcount(own | opp)
    value: int = full * pieces + empty * (PIECES - pieces)
    return min(max(value, -LIMIT), LIMIT)


@arena.kernel
def entry(full: float, empty: float) -> int:
    """Return an entry of the kernel's context: both weights in units of 1 / :data:`UNITS`, clipped to 16 bits."""
    first = min(max(round(full * UNITS), -_LARGEST), _LARGEST)
    return (min(max(round(empty * UNITS), -_LARGEST), _LARGEST) << 32) + first


@arena.kernel
def pack(weights: np.ndarray, context: np.ndarray) -> None:
    """Write weights (float64, (PHASES, SLOTS)) into the context (int64, (SLOTS,)) of the kernel, in place."""
    for slot in range(len(context)):
        context[slot] = entry(weights[0, slot], weights[1, slot])


def rounded(weights: np.ndarray) -> np.ndarray:
    """Return weights rounded as in :func:`entry` and in models: int16, the same shape."""
    units: np.ndarray = np.rint(weights * UNITS).clip(-_LARGEST, _LARGEST).astype(np.int16)
    return units


def kernel_of(weights: np.ndarray) -> arena.Kernel:
    """Return a kernel for weights (float, (PHASES, SLOTS)); :func:`pack` changes them later."""
    context = np.zeros(SLOTS, dtype=np.int64)
    pack(weights, context)
    return arena.Kernel(_kernel.address, context, float(UNITS * PIECES))


def material(man: float, king: float) -> np.ndarray:
    """Return weights (float64, (PHASES, SLOTS)) that count only men and kings, with the given worths."""
    men, their_men, kings, their_kings = np.indices((_MEN, _MEN, _KINGS, _KINGS))
    weights = np.zeros((PHASES, SLOTS))
    weights[:, _MATERIAL:_KING_SQUARES] = (man * (men - their_men) + king * (kings - their_kings)).ravel()
    return weights


def weights_of(model: arena.Model) -> np.ndarray:
    """Return the weights of a model: float64, (PHASES, SLOTS). Raises ModelError if it has none."""
    return model.require(KIND, {"weights": (PHASES, SLOTS)})["weights"] / UNITS


Weights = Annotated[arena.Model, arena.ModelKind(KIND, weights_of)]
"""Type hint of an option for weights of this function."""


class Patterns(arena.CompiledEvaluator):
    """Sums table entries for 22 overlapping regions of the board, as the strongest draughts engines do."""

    def __init__(self, weights: Weights = SHIPPED) -> None:
        self.weights = weights

    def kernel(self) -> arena.Kernel:
        """The compiled function; its unit is the weights': log odds of the expected result."""
        return kernel_of(weights_of(self.weights))
