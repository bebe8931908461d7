"""The slices that tables are made of, and the order in which they can be solved.

Two slices belong together where one is the other seen by the other side: a quiet move leads from the one to
the other. Captures lead to fewer pieces and crowning to fewer men, so that a group of two slices (or one that
is its own mirror image) can be solved when those of fewer pieces and of fewer men are.
"""

from __future__ import annotations

from itertools import groupby, product
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from arena.search.tablebase.indexing import men_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

FEWEST, MOST = 2, 6
"""Number of pieces that tables exist for."""


class Slice(NamedTuple):
    """All positions with these numbers of pieces, the side to move first."""

    own_men: int
    own_kings: int
    opp_men: int
    opp_kings: int

    @property
    def pieces(self) -> int:
        """Pieces of both sides."""
        return sum(self)

    @property
    def men(self) -> int:
        """Men of both sides."""
        return self.own_men + self.opp_men

    @property
    def mirrored(self) -> Slice:
        """The same pieces with the other side to move."""
        return Slice(self.opp_men, self.opp_kings, self.own_men, self.own_kings)

    @property
    def size(self) -> int:
        """Number of positions."""
        free = 32 - self.men
        men = sum(men_count(self.own_men, self.opp_men, midway) for midway in range(self.own_men + 1))
        return men * comb(free, self.own_kings) * comb(free - self.own_kings, self.opp_kings)


Group = tuple[Slice, ...]
"""A slice and its mirror image, or one that is its own."""


def levels(pieces: int) -> list[list[Group]]:
    """All groups of that many pieces, by number of men from 0: those in one inner list need not each other."""
    every = [Slice(*counts) for counts in product(range(pieces), repeat=4) if sum(counts) == pieces]
    both = sorted(each for each in every if 0 < each.own_men + each.own_kings < pieces)
    pairs = [(each,) if each == each.mirrored else (each, each.mirrored) for each in both if each <= each.mirrored]
    pairs.sort(key=lambda group: group[0].men)
    return [list(level) for _, level in groupby(pairs, key=lambda group: group[0].men)]


def groups(pieces: int) -> list[Group]:
    """All groups of that many pieces, each after those that its captures and crownings lead to."""
    return [group for level in levels(pieces) for group in level]


def positions(group: Group) -> int:
    """Number of positions of all slices of a group."""
    return sum(each.size for each in group)


def split(group: Group, values: np.ndarray) -> Iterator[tuple[Slice, np.ndarray]]:
    """Each slice of a group with its part of the ``values`` of all positions of the group."""
    start = 0
    for each in group:
        yield each, values[start : start + each.size]
        start += each.size
