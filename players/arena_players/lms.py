"""The player of the LMS learner's models (Mitchell 1997)."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators.linear import SHIPPED, Linear, Weights
from arena_players.searching import SearchingPlayer


class LMS(SearchingPlayer):
    """Plays the move with the highest value of a learned linear function of six counts (Mitchell 1997)."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies to search. 1 compares the boards after each move, 2 those after the opponent's worst reply.

        ``quiescence``: search below ``depth`` while the side to move must capture. The texts do not (false).
        """
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:
        return Search(Linear(self.weights, perspective=side), quiescence=self.quiescence)
