"""The gauntlet format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.contracts.format import Format, pairing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.contracts.format import Stages


class Gauntlet(Format):
    """The first player meets every other player."""

    extensible = True

    def meetings(self, players: int) -> int:
        return players - 1

    def stages(self, players: Sequence[str]) -> Stages:
        first, *others = players
        yield [pairing(first, other) for other in others]
