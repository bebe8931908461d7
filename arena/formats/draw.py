"""The pairings of a swiss tournament: every round is complete, and two players meet at most once.

The pairings of a round are a perfect matching of the graph whose edges join players that have not met. For an odd
number of players, an extra place stands for the bye. It is treated as an opponent, so a player gets at most one bye.

After ``k`` rounds each of ``n`` places has ``n - 1 - k`` possible opponents left. While this number is at least
``n / 2``, the graph has a perfect matching (Dirac 1952), so up to ``n / 2`` rounds can be paired one by one.

A longer tournament keeps a reserve: disjoint matchings for all remaining rounds, at first those of the circle method.
If the pairs outside the best matching of a round contain a new reserve, the round takes the best matching. Otherwise
the round takes the best matching of the pairs outside the reserve and one of the reserved matchings. The other reserved
matchings stay in the reserve.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Pair = tuple[int, int]
"""Two places, the lower number first."""
Matching = frozenset[Pair]
_ATTEMPTS = 10
"""Number of attempts to find a reserve."""


class Draw:
    """Pairs the rounds of one tournament, one after the other. Players are numbers from 0."""

    def __init__(self, players: int, rounds: int) -> None:
        """``rounds`` is less than ``players``."""
        self._players = players
        self._places = players + players % 2
        self._rounds_left = rounds
        self._unmet = set(combinations(range(self._places), 2))
        self._reserve = _circle(self._places)[:rounds] if rounds > self._places // 2 else None

    def round(self, points: Sequence[int]) -> list[Pair]:
        """Return the pairs of the next round, given the points of each player. A player without a pair has the bye.

        The standings are ordered by points, then by number. For an odd number of players, the last player in the
        standings without a bye so far gets one. The pairs minimize the sum of squared differences in points, then the
        sum of squared differences in place. The round deviates from these rules if later rounds would be incomplete.
        """
        costs = self._costs(points)
        self._rounds_left -= 1
        best = _matching(self._unmet, costs)
        if self._reserve is not None:
            reserve = self._disjoint(self._unmet - best, self._rounds_left)
            if reserve is None:
                best, reserve = self._from_reserve(self._reserve, costs)
            self._reserve = reserve
        self._unmet -= best
        return sorted(pair for pair in best if pair[1] < self._players)

    def _from_reserve(self, reserve: list[Matching], costs: Mapping[Pair, int]) -> tuple[Matching, list[Matching]]:
        """Return the best matching that uses pairs of only one reserved matching, and the rest of the reserve."""
        spare = self._unmet.difference(*reserve)
        candidates = [(_matching(spare | each, costs), each) for each in reserve]
        best, released = min(candidates, key=lambda one: sum(costs[pair] for pair in one[0]))
        return best, [each for each in reserve if each is not released]

    def _disjoint(self, pairs: set[Pair], number: int) -> list[Matching] | None:
        """Return ``number`` disjoint perfect matchings of the pairs; None if no attempt finds them."""
        for attempt in range(_ATTEMPTS):
            costs = {pair: _checksum(*pair, attempt) for pair in pairs}
            matchings: list[Matching] = []
            remaining = pairs
            while len(matchings) < number and len(matching := _matching(remaining, costs)) == self._places // 2:
                matchings.append(matching)
                remaining = remaining - matching
            if len(matchings) == number:
                return matchings
        return None

    def _costs(self, points: Sequence[int]) -> dict[Pair, int]:
        """Return the cost of each pair.

        The cost combines four criteria, each with a weight that outweighs all later ones: the player with the bye, the
        difference in points, the difference in place, and a checksum of the pair. The checksum makes ties unlikely, so
        that the pairings do not depend on the way in which a library breaks ties.
        """
        order = sorted(range(self._players), key=lambda player: (-points[player], player))
        place = {player: number for number, player in enumerate(order)}
        spread = self._places * (max(points) - min(points)) ** 2 + 1
        costs = {}
        for one, other in self._unmet:
            bye = other == self._players
            point_cost = 0 if bye else (points[one] - points[other]) ** 2
            place_cost = 0 if bye else (place[one] - place[other]) ** 2
            cost = (self._players - 1 - place[one]) * spread if bye else point_cost
            cost = (cost * self._places**3 + place_cost) * self._places << 32
            costs[one, other] = cost + _checksum(one, other)
        return costs


def _checksum(*numbers: int) -> int:
    """Return a 32-bit checksum of the numbers."""
    return crc32(" ".join(map(str, numbers)).encode())


def _matching(pairs: Iterable[Pair], costs: Mapping[Pair, int]) -> Matching:
    """Return the maximum matching of the lowest cost."""
    import rustworkx

    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    edges = [(*pair, -costs[pair]) for pair in sorted(pairs)]
    graph.extend_from_weighted_edge_list(edges)
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return frozenset(_pair(*pair) for pair in matching)


def _circle(places: int) -> list[Matching]:
    """Return disjoint perfect matchings that cover all pairs of an even number of places.

    This is the circle method: the last place stays fixed while the others rotate.
    """
    turns = places - 1
    return [
        frozenset(
            [(turn, turns), *(_pair((turn + step) % turns, (turn - step) % turns) for step in range(1, places // 2))]
        )
        for turn in range(turns)
    ]


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
