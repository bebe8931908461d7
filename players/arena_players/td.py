"""The player of what the TD learner learned (Melicher 2009)."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators.rote import SHIPPED, Rote, Weights
from arena_players.searching import SearchingPlayer


class TD(SearchingPlayer):
    """Looks a few plies ahead with three learned weights and a rote memory of boards met before (Melicher 2009)."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 3,
        memory: bool = True,
        quiescence: bool = True,
    ) -> None:
        """``memory``: recall the values of boards met before; without it the three weights stand alone."""
        self.weights = weights
        self.depth = depth
        self.memory = memory
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(Rote(self.weights, self.memory), quiescence=self.quiescence)
