"""A match that is played until a sequential test is decided, counted in the order of the schedule.

The games come back in any order, and more of them than the test needs; taken by round they are the same games
whatever the number of workers, and what comes after the decision is not recorded.
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
    """The state of the test after the games so far, from the point of view of ``player``.

    A pair in which somebody forfeited says nothing about strength and is left out.
    """

    def __init__(self, test: SPRT, player: str) -> None:
        self.test = test
        self.player = player
        self.counts = [0, 0, 0, 0, 0]
        """Pairs of games by the points that they brought: 0, 1/2, 1, 3/2, 2."""
        self.games = 0
        """Games taken in, forfeits included."""
        self._first: float | None = None
        """Points of the first game of the pair that is under way; None where it was forfeited."""

    def add(self, number: int, points: float | None) -> None:
        """Take in game ``number``, from 0 and one after the other; ``points`` of the player, None for a forfeit."""
        self.games += 1
        if number % 2 == 0:
            self._first = points
        elif self._first is not None and points is not None:
            self.counts[round(2 * (self._first + points))] += 1

    @property
    def llr(self) -> float:
        """Log-likelihood ratio."""
        return self.test.llr(self.counts)

    @property
    def verdict(self) -> Verdict:
        """Which hypothesis is accepted; ``open`` while the match goes on."""
        return self.test.verdict(self.counts)

    @property
    def match(self) -> MatchCounts:
        """The pairs as a match."""
        return MatchCounts(self.counts)

    def __str__(self) -> str:
        low, high = self.test.bounds
        return f"LLR {self.llr:+.2f} ({low:.2f} to {high:.2f}), pairs {'-'.join(map(str, self.counts))}"

    def counted(self, records: Iterable[GameRecord | None], rounds: Iterable[int]) -> Iterator[GameRecord | None]:
        """The records in the order of their rounds, taken in, up to the one that decides; None is passed on."""
        for record in in_order(records, rounds):
            if record is not None:
                self.add(record.round, self.points(record))
            yield record
            if self.verdict != "open":
                return

    def points(self, record: GameRecord) -> float | None:
        """What the player made of a game; None where somebody forfeited."""
        return None if record.forfeited_by else points_of(self.player, record.black, record.result)


def in_order(records: Iterable[GameRecord | None], rounds: Iterable[int]) -> Iterator[GameRecord | None]:
    """The records of one pairing in the order of ``rounds``; None, for a moment without one, is passed on."""
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
    """Take in the games on record, by round, as far as they follow one another from the first; returns how many."""
    number = 0
    while number in played and sequential.verdict == "open":
        sequential.add(number, played[number])
        number += 1
    return number
