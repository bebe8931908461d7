"""The player of the minimax heuristic with tuned coefficients."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators import heuristic
from arena_evaluators.heuristic import SHIPPED
from arena_players.searching import SearchingPlayer


class Tuned(SearchingPlayer):
    """Searches as minimax does, with coefficients of its heuristic that a learner tuned."""

    def __init__(
        self,
        weights: Annotated[arena.Model, arena.ModelKind(heuristic.KIND, heuristic.weights_of)] = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 4,
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies to search. ``quiescence``: search below ``depth`` while the side to move must capture."""
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(heuristic.Tuned(self.weights), quiescence=self.quiescence)
