"""The knockout format."""

from __future__ import annotations

from collections import defaultdict
from math import ceil, log2
from typing import TYPE_CHECKING

from arena.contracts.format import Format, pairing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.contracts.format import Shares, Stages


class Knockout(Format):
    """The loser of a meeting is out. The players named first meet those named last, and get the byes.

    If both players have equal points, the player named first goes on.
    """

    def meetings(self, players: int) -> int:
        return players - 1

    def stages(self, players: Sequence[str]) -> Stages:
        alive = list(players)
        while len(alive) > 1:
            byes = 2 ** ceil(log2(len(alive))) - len(alive)
            playing = alive[byes:]
            half = len(playing) // 2
            matches = list(zip(playing[:half], reversed(playing[half:]), strict=True))
            shares = yield [pairing(*match) for match in matches]
            out = {_loser(match, shares) for match in matches}
            alive = [player for player in alive if player not in out]


def _loser(match: tuple[str, str], shares: Shares) -> str:
    players = pairing(*match)
    points: defaultdict[str, float] = defaultdict(float, zip(players, shares[players], strict=True))
    higher, lower = match
    return lower if points[higher] >= points[lower] else higher
