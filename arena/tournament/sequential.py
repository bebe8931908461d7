"""A match that is played until a sequential test is decided.

Workers return games in any order, and more games than the test needs. The test takes them in the order of their rounds,
and games after the decision are not recorded. So the number of workers does not change the recorded games.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.contracts.record import points_of
from arena.statistics.elo import MatchCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from arena.contracts.record import GameRecord
    from arena.statistics.sprt import SPRT, Verdict


class Sequential:
    """The state of a test after the games so far, from the point of view of ``player``.

    A pair of games with a forfeit does not count.
    """

    def __init__(self, test: SPRT, player: str) -> None:
        self.test = test
        self.player = player
        self.counts = [0, 0, 0, 0, 0]
        """Numbers of pairs of games with 0, 1/2, 1, 3/2 and 2 points."""
        self.games = 0
        """Number of games added, including forfeits."""
        self._first: float | None = None
        """Points of the first game of an unfinished pair; None if a player forfeited it."""

    def add(self, number: int, points: float | None) -> None:
        """Add game ``number``: 0, 1, 2, ... ``points`` of the player; None if a player forfeited."""
        self.games += 1
        if number % 2 == 0:
            self._first = points
        elif self._first is not None and points is not None:
            self.counts[round(2 * (self._first + points))] += 1

    @property
    def llr(self) -> float:
        """The log-likelihood ratio."""
        return self.test.llr(self.counts)

    @property
    def verdict(self) -> Verdict:
        """The accepted hypothesis; ``open`` if neither is accepted yet."""
        return self.test.verdict(self.counts)

    @property
    def match(self) -> MatchCounts:
        """The counts as a match."""
        return MatchCounts(self.counts)

    def __str__(self) -> str:
        low, high = self.test.bounds
        return f"LLR {self.llr:+.2f} ({low:.2f} to {high:.2f}), pairs {'-'.join(map(str, self.counts))}"

    def counted(self, records: Iterable[GameRecord | None], rounds: Iterable[int]) -> Iterator[GameRecord | None]:
        """Add and yield the records in the order of their rounds up to the deciding one; None is passed on."""
        for record in in_order(records, rounds):
            if record is not None:
                self.add(record.round, self.points(record))
            yield record
            if self.verdict != "open":
                return

    def points(self, record: GameRecord) -> float | None:
        """The player's points in a game; None if a player forfeited."""
        return None if record.forfeited_by else points_of(self.player, record.black, record.result)


def in_order(records: Iterable[GameRecord | None], rounds: Iterable[int]) -> Iterator[GameRecord | None]:
    """Yield the records of one pairing in the order of ``rounds``; None, which means no record yet, is passed on."""
    expected = iter(rounds)
    following = next(expected, None)
    early: dict[int, GameRecord] = {}
    for record in records:
        if record is None:
            yield None
            continue
        early[record.round] = record
        while following in early:
            yield early.pop(following)
            following = next(expected, None)


def replay(sequential: Sequential, played: Mapping[int, float | None]) -> int:
    """Add the recorded games by round, up to the first missing round or the decision; return their number."""
    number = 0
    while number in played and sequential.verdict == "open":
        sequential.add(number, played[number])
        number += 1
    return number
