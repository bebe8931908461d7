"""What players that search have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import arena

if TYPE_CHECKING:
    from arena.search import Search


class SearchingPlayer(arena.Player):
    """Searches to ``depth`` plies and plays one of the best moves, drawn from ``game.random`` where several are."""

    depth: int
    _search: Search | None = None

    @abstractmethod
    def search(self, side: arena.Side) -> Search:
        """A search for the player of the pieces of ``side``."""

    def choose(self, game: arena.Game) -> arena.Move:
        if self._search is None:
            self._search = self.search(game.side)
        result = self._search(game.board, self.depth)
        choice = game.random.integers(len(result.best)) if len(result.best) > 1 else 0
        line = result.best[choice]
        game.report(result.score, result.depth, result.nodes, line.pv)
        return line.move
