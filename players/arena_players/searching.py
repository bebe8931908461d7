"""What players that search have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, TypeVar

import arena

if TYPE_CHECKING:
    from arena.search import Search

T = TypeVar("T", int, float)


class SearchingPlayer(arena.Player):
    """Searches until its own or the game's limits are reached; ``game.random`` chooses among equally good moves."""

    depth: int
    """Plies."""
    nodes: int | None = None
    """Positions to search for a move; None: no limit."""
    seconds: float | None = None
    """Wall-clock time for a move; None: no limit."""
    _search: Search | None = None

    @abstractmethod
    def search(self, side: arena.Side) -> Search:
        """A search for the player of the pieces of ``side``."""

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
    """Seconds for this move: a thirtieth of what is left for the game, and most of what is gained by moving."""
    return None if limits.clock is None else limits.clock / 30 + 0.8 * limits.increment


def least(mine: T | None, given: T | None) -> T | None:
    """The stricter of two limits, None being none."""
    if mine is None or given is None:
        return given if mine is None else mine
    return min(mine, given)
