"""The slices of endgame tables, and the order in which they can be solved.

A slice and its mirror image (the same pieces with the other side to move) form a group, because a quiet move leads from
one to the other. A slice that is its own mirror image is a group by itself. Captures lead to fewer pieces, and crowning
leads to fewer men. A group can therefore be solved after all groups with fewer pieces, and all groups with the same
number of pieces but fewer men.
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
"""Minimum and maximum number of pieces for which there are tables."""


class Slice(NamedTuple):
    """The positions with these numbers of pieces; ``own`` is the side to move."""

    own_men: int
    own_kings: int
    opp_men: int
    opp_kings: int

    @property
    def pieces(self) -> int:
        """Number of pieces of both sides."""
        return sum(self)

    @property
    def men(self) -> int:
        """Number of men of both sides."""
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
"""A slice and its mirror image, or a single slice that is its own mirror image."""


def levels(pieces: int) -> list[list[Group]]:
    """Return the groups with ``pieces`` pieces in a list for each number of men, from 0.

    The groups of one inner list do not depend on each other.
    """
    every = [Slice(*counts) for counts in product(range(pieces), repeat=4) if sum(counts) == pieces]
    both = sorted(each for each in every if 0 < each.own_men + each.own_kings < pieces)
    pairs = [(each,) if each == each.mirrored else (each, each.mirrored) for each in both if each <= each.mirrored]
    pairs.sort(key=lambda group: group[0].men)
    return [list(level) for _, level in groupby(pairs, key=lambda group: group[0].men)]


def groups(pieces: int) -> list[Group]:
    """Return the groups with ``pieces`` pieces, each after the groups to which its crownings lead."""
    return [group for level in levels(pieces) for group in level]


def positions(group: Group) -> int:
    """Return the number of positions of all slices of a group."""
    return sum(each.size for each in group)


def split(group: Group, values: np.ndarray) -> Iterator[tuple[Slice, np.ndarray]]:
    """Yield each slice of a group with its part of ``values``, the values of all positions of the group."""
    start = 0
    for each in group:
        yield each, values[start : start + each.size]
        start += each.size
