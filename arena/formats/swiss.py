"""The swiss format."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, lcm, log2
from typing import TYPE_CHECKING, Annotated

from arena.contracts.format import Format, pairing
from arena.errors import UsageError
from arena.formats.draw import Draw
from arena.plugins.options import Range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.contracts.format import Stages

_FINEST = 10**6
"""Maximum denominator of a share of points. Shares are converted to fractions because sums of floats are inexact."""


class Swiss(Format):
    """In each round, players with nearly equal points meet; two players meet at most once.

    With an odd number of players, the lowest in the standings without a bye so far gets one. It counts as a won
    meeting. Among players with equal points, those named earlier stand higher. ``arena/formats/draw.py`` has the
    details.
    """

    def __init__(self, rounds: Annotated[int, Range(1)] | None = None) -> None:
        """``rounds``: number of rounds; none: one more than a knockout would have."""
        self.rounds = rounds

    def meetings(self, players: int) -> int:
        return self._stages(players) * (players // 2)

    def stages(self, players: Sequence[str]) -> Stages:
        rounds = self._stages(len(players))
        draw = Draw(len(players), rounds)
        points = [Fraction(0)] * len(players)
        for _ in range(rounds):
            unit = lcm(*(each.denominator for each in points))
            pairs = draw.round([int(each * unit) for each in points])
            shares = yield [pairing(players[one], players[other]) for one, other in pairs]
            gained = [Fraction(1)] * len(players)  # the points of a bye
            for pair in pairs:
                names = [players[each] for each in pair]
                share = dict(zip(sorted(names), shares[pairing(*names)], strict=True))
                for each in pair:
                    gained[each] = Fraction(share[players[each]]).limit_denominator(_FINEST)
            points = [before + gain for before, gain in zip(points, gained, strict=True)]

    def _stages(self, players: int) -> int:
        """Return the number of stages; raises UsageError if a player has fewer opponents than that."""
        rounds = self.rounds or min(ceil(log2(players)) + 1, players - 1)
        if rounds >= players:
            raise UsageError(f"{players} players have opponents for {players - 1} rounds, not for {rounds}")
        return rounds
