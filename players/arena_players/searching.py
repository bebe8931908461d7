"""The base class of players that search."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, TypeVar

import arena

if TYPE_CHECKING:
    from arena.search import Search

T = TypeVar("T", int, float)


class SearchingPlayer(arena.Player):
    """Searches within its own limits and the game's. ``game.random`` chooses among equally good moves."""

    depth: int
    """Plies."""
    nodes: int | None = None
    """Limit of positions searched for a move; None: no limit."""
    seconds: float | None = None
    """Limit of wall-clock seconds for a move; None: no limit."""
    _search: Search | None = None

    @abstractmethod
    def search(self, side: arena.Side) -> Search:
        """Return a search that plays ``side``."""

    def choose(self, game: arena.Game) -> arena.Move:
        if self._search is None:
            self._search = self.search(game.side)
        limits = game.limits
        result = self._search(
            game,
            depth=min(self.depth, limits.depth or self.depth),
            nodes=least(self.nodes, limits.nodes),
            seconds=least(least(self.seconds, limits.seconds), share_of(limits)),
            random=game.random,
        )
        game.report(result.score, result.depth, result.nodes, result.pv)
        return result.move

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer | None:
        return self.search(side).compiled(self.depth) if self.nodes is None and self.seconds is None else None


def share_of(limits: arena.Limits) -> float | None:
    """Seconds for this move: a thirtieth of the remaining clock and 80 % of the increment; None without a clock."""
    return None if limits.clock is None else limits.clock / 30 + 0.8 * limits.increment


def least(mine: T | None, given: T | None) -> T | None:
    """Return the smaller of two limits; None means unlimited."""
    if mine is None or given is None:
        return given if mine is None else mine
    return min(mine, given)
