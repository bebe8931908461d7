"""The player of the TD learner's models (Melicher 2009)."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators.rote import SHIPPED, Rote, Use, Weights
from arena_players.searching import SearchingPlayer


class TD(SearchingPlayer):
    """Searches a few plies with three learned weights and a rote memory of boards met before (Melicher 2009)."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 3,
        use: Use = "both",
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies to search.

        ``use``: source of the values: memory, with the weights for unknown boards; memory alone, with 0 for unknown
        boards; or the weights alone.

        ``quiescence``: search below ``depth`` while the side to move must capture. The text does not (false).
        """
        self.weights = weights
        self.depth = depth
        self.use = use
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:
        return Search(Rote(self.weights, self.use, side), quiescence=self.quiescence)
