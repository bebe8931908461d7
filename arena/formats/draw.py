"""The pairings of a swiss tournament: every round is complete, and players meet each opponent at most once.

The pairing of a round is a perfect matching of the graph whose edges join players that have not met. With an odd number
of players, one more place stands for sitting out. It is an opponent like any other, so a player sits out at most once.

After ``k`` rounds each of ``n`` places has ``n - 1 - k`` possible opponents left. As long as these are ``n / 2`` or
more the graph has a perfect matching (Dirac 1952), so up to ``n / 2`` rounds can be drawn one by one. A longer
tournament keeps a reserve: disjoint matchings for all of the rounds to come, at first those of the circle method. The
best matching of a round is taken if a reserve is found among the pairs that it leaves. If none is found, the round
takes the best matching of one reserved matching and the pairs outside the reserve, and the rest of the reserve stays.
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
"""To find a reserve."""


class Draw:
    """The rounds of one tournament, drawn one after the other; players are numbers from 0."""

    def __init__(self, players: int, rounds: int) -> None:
        """``rounds`` is less than ``players``."""
        self._players = players
        self._places = players + players % 2
        self._left = rounds
        self._unmet = set(combinations(range(self._places), 2))
        self._reserve = _circle(self._places)[:rounds] if rounds > self._places // 2 else None

    def round(self, points: Sequence[int]) -> list[Pair]:
        """The pairs of the next round, by the points of each player; of an odd number the one in no pair sits out.

        Players stand in the order of their points, and of their numbers where these are equal. The last of those who
        have not sat out does so. The pairs have the least sum of squared differences in points, and among these the
        least sum of squared differences in standing. Both give way where rounds to come could not be completed.
        """
        costs = self._costs(points)
        self._left -= 1
        best = _matching(self._unmet, costs)
        if self._reserve is not None:
            reserve = self._disjoint(self._unmet - best, self._left)
            if reserve is None:
                best, reserve = self._from_reserve(self._reserve, costs)
            self._reserve = reserve
        self._unmet -= best
        return sorted(pair for pair in best if pair[1] < self._players)

    def _from_reserve(self, reserve: list[Matching], costs: Mapping[Pair, int]) -> tuple[Matching, list[Matching]]:
        """The best matching that leaves all but one of the reserve, and what it leaves of it."""
        spare = self._unmet.difference(*reserve)
        found = [(_matching(spare | each, costs), each) for each in reserve]
        best, given = min(found, key=lambda one: sum(costs[pair] for pair in one[0]))
        return best, [each for each in reserve if each is not given]

    def _disjoint(self, pairs: set[Pair], number: int) -> list[Matching] | None:
        """That many disjoint perfect matchings among the pairs; None if none of several attempts finds them."""
        for attempt in range(_ATTEMPTS):
            costs = {pair: _checksum(*pair, attempt) for pair in pairs}
            found: list[Matching] = []
            left = pairs
            while len(found) < number and len(matching := _matching(left, costs)) == self._places // 2:
                found.append(matching)
                left = left - matching
            if len(found) == number:
                return found
        return None

    def _costs(self, points: Sequence[int]) -> dict[Pair, int]:
        """What each pair costs: numbers so far apart that what comes first decides.

        They are who sits out, points, places and, last, a checksum of the pair: it makes ties unlikely, so that the
        pairings do not depend on how a library breaks them.
        """
        order = sorted(range(self._players), key=lambda player: (-points[player], player))
        place = {player: number for number, player in enumerate(order)}
        spread = self._places * (max(points) - min(points)) ** 2 + 1
        costs = {}
        for one, other in self._unmet:
            sits_out = other == self._players
            apart = 0 if sits_out else (points[one] - points[other]) ** 2
            away = 0 if sits_out else (place[one] - place[other]) ** 2
            cost = (self._players - 1 - place[one]) * spread if sits_out else apart
            cost = (cost * self._places**3 + away) * self._places << 32
            costs[one, other] = cost + _checksum(one, other)
        return costs


def _checksum(*numbers: int) -> int:
    """32 bits that are the same for the same numbers."""
    return crc32(" ".join(map(str, numbers)).encode())


def _matching(pairs: Iterable[Pair], costs: Mapping[Pair, int]) -> Matching:
    """As many disjoint pairs as there can be, of the lowest cost."""
    import rustworkx

    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    edges = [(*pair, -costs[pair]) for pair in sorted(pairs)]
    graph.extend_from_weighted_edge_list(edges)
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return frozenset(_pair(*pair) for pair in found)


def _circle(places: int) -> list[Matching]:
    """All pairs of an even number of places as disjoint perfect matchings: the last stays, the others go round it."""
    turns = places - 1
    return [
        frozenset(
            [(turn, turns), *(_pair((turn + step) % turns, (turn - step) % turns) for step in range(1, places // 2))]
        )
        for turn in range(turns)
    ]


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
