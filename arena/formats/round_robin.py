"""The round-robin format."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from arena.contracts.format import Format

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.contracts.format import Stages


class RoundRobin(Format):
    """Each player meets every other player."""

    extensible = True

    def meetings(self, players: int) -> int:
        return players * (players - 1) // 2

    def stages(self, players: Sequence[str]) -> Stages:
        yield list(combinations(sorted(players), 2))
