"""Who meets whom: formats of tournaments, each a generator of stages.

A stage is a list of pairings that can be played in any order. When its games are over the generator is sent what
share of the points each player made in each meeting so far, and yields the next stage, or ends. It draws nothing by
lot, so that a tournament that is resumed comes to the same pairings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Generator, Mapping
from itertools import combinations
from math import ceil, log2
from typing import TYPE_CHECKING, ClassVar

from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

Pairing = tuple[str, str]
"""Two canonical specs in the order of the alphabet: the first has Black in the even rounds."""
Shares = Mapping[Pairing, tuple[float, float]]
"""Share of the points of a meeting that each of the two made, 0 to 1."""
Stages = Generator[list[Pairing], Shares, None]


class Format(ABC):
    """A way to bring players together; players are canonical specs, the strongest or most important first."""

    name: ClassVar[str]

    @abstractmethod
    def meetings(self, players: int) -> int:
        """How many pairings there are at most."""

    @abstractmethod
    def stages(self, players: Sequence[str]) -> Stages:
        """The stages, each to be answered by the shares of all meetings so far."""


class RoundRobin(Format):
    """Everybody meets everybody else."""

    name = "round-robin"

    def meetings(self, players: int) -> int:
        return players * (players - 1) // 2

    def stages(self, players: Sequence[str]) -> Stages:
        yield list(combinations(sorted(players), 2))


class Gauntlet(Format):
    """The first player meets everybody else."""

    name = "gauntlet"

    def meetings(self, players: int) -> int:
        return players - 1

    def stages(self, players: Sequence[str]) -> Stages:
        first, *others = players
        yield [_pairing(first, other) for other in others]


class Swiss(Format):
    """In each stage players of nearly the same points meet, nobody the same opponent twice.

    Of an odd number the last in the standings who has not yet done so sits out, for the points of a meeting won. Of
    players with equal points those named earlier stand higher.
    """

    name = "swiss"

    def __init__(self, rounds: int | None = None) -> None:
        """``rounds``: stages; None: as many as a knockout would have, and one more."""
        self._rounds = rounds

    def meetings(self, players: int) -> int:
        return self._stages(players) * (players // 2)

    def stages(self, players: Sequence[str]) -> Stages:
        points = dict.fromkeys(players, 0.0)
        met: set[Pairing] = set()
        rested: set[str] = set()
        for _ in range(self._stages(len(players))):
            order = sorted(players, key=lambda player: (-points[player], players.index(player)))
            if len(order) % 2:
                rests = next(player for player in reversed(order) if player not in rested)
                order.remove(rests)
                rested.add(rests)
            stage = _paired(order, met) or _paired_as_far_as_possible(order, met)
            met.update(stage)
            shares = yield stage
            points = {player: float(player in rested) for player in players}
            for pairing in met:
                for player, share in zip(pairing, shares[pairing], strict=True):
                    points[player] += share

    def _stages(self, players: int) -> int:
        """Raises UsageError for more stages than there are opponents."""
        rounds = self._rounds or min(ceil(log2(players)) + 1, players - 1)
        if rounds >= players:
            raise UsageError(f"{players} players have opponents for {players - 1} rounds, not for {rounds}")
        return rounds


class Knockout(Format):
    """Who loses a meeting is out. Those named first meet those named last, and rest first where somebody must.

    Of two with equal points who was named first goes on.
    """

    name = "knockout"

    def meetings(self, players: int) -> int:
        return players - 1

    def stages(self, players: Sequence[str]) -> Stages:
        alive = list(players)
        while len(alive) > 1:
            resting = 2 ** ceil(log2(len(alive))) - len(alive)
            playing = alive[resting:]
            half = len(playing) // 2
            matches = list(zip(playing[:half], reversed(playing[half:]), strict=True))
            shares = yield [_pairing(*match) for match in matches]
            out = {_loser(match, shares) for match in matches}
            alive = [player for player in alive if player not in out]


FORMATS: dict[str, type[Format]] = {each.name: each for each in (RoundRobin, Gauntlet, Swiss, Knockout)}


def format_of(name: str, rounds: int | None) -> Format:
    """The format of that name; raises UsageError where there is none, or it has no rounds to choose."""
    if name not in FORMATS:
        raise UsageError(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    if name == Swiss.name:
        return Swiss(rounds)
    if rounds is not None:
        raise UsageError(f"the number of rounds is chosen for a swiss tournament, not for a {name}")
    return FORMATS[name]()


def _pairing(one: str, other: str) -> Pairing:
    return (one, other) if one < other else (other, one)


def _paired(order: Sequence[str], met: set[Pairing]) -> list[Pairing]:
    """Everybody with the nearest possible player that was not yet met; empty where there is no way."""
    if not order:
        return []
    first, *others = order
    for i, other in enumerate(others):
        pairing = _pairing(first, other)
        if pairing not in met:
            rest = others[:i] + others[i + 1 :]
            if not rest or (further := _paired(rest, met)):
                return [pairing, *(further if rest else ())]
    return []


def _paired_as_far_as_possible(order: Sequence[str], met: set[Pairing]) -> list[Pairing]:
    """Who is left without an opponent that was not yet met sits out."""
    stage = []
    waiting = list(order)
    while waiting:
        first = waiting.pop(0)
        other = next((player for player in waiting if _pairing(first, player) not in met), None)
        if other is not None:
            waiting.remove(other)
            stage.append(_pairing(first, other))
    return stage


def _loser(match: tuple[str, str], shares: Shares) -> str:
    pairing = _pairing(*match)
    points: defaultdict[str, float] = defaultdict(float, zip(pairing, shares[pairing], strict=True))
    higher, lower = match
    return lower if points[higher] >= points[lower] else higher
