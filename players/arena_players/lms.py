"""The player of what the LMS learner learned (Mitchell 1997)."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators.linear import SHIPPED, Linear, Weights
from arena_players.searching import SearchingPlayer


class LMS(SearchingPlayer):
    """Plays the move that a learned linear function of six counts likes best (Mitchell 1997)."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = True,
    ) -> None:
        """``depth``: 1 takes the best board after my move, 2 the best after their worst reply.

        ``quiescence``: go on below ``depth`` while the side to move must capture; the texts stop (false).
        """
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:
        return Search(Linear(self.weights, perspective=side), quiescence=self.quiescence)
