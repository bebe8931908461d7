"""The player of the models of regression and TDLeaf on piece-square patterns."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators import patterns
from arena_evaluators.patterns import SHIPPED, Weights
from arena_players.searching import SearchingPlayer


class Patterns(SearchingPlayer):
    """Searches a few plies with learned piece-square patterns, as the strongest draughts engines do."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 4,
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies to search. ``quiescence``: search below ``depth`` while the side to move must capture."""
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(patterns.Patterns(self.weights), quiescence=self.quiescence)
