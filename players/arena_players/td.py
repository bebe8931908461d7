"""The player of what the TD learner learned (Melicher 2009)."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators.rote import SHIPPED, Rote, Use, Weights
from arena_players.searching import SearchingPlayer


class TD(SearchingPlayer):
    """Looks a few plies ahead with three learned weights and a rote memory of boards met before (Melicher 2009)."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 3,
        use: Use = "both",
        quiescence: bool = True,
    ) -> None:
        """``use``: values of boards met before are recalled and others weighed; or memory alone, all other boards
        being worth 0; or the weights alone. ``quiescence``: go on below ``depth`` while the side to move must capture;
        the text stops (false).
        """
        self.weights = weights
        self.depth = depth
        self.use = use
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:
        return Search(Rote(self.weights, self.use, side), quiescence=self.quiescence)
