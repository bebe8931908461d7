"""Minimax search with an evaluator, alpha-beta pruned."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators.heuristic import Heuristic
from arena_players.searching import SearchingPlayer

HEURISTIC = Heuristic()


class Minimax(SearchingPlayer):
    """Looks ahead a set number of plies and trusts an evaluator there."""

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 4,
        evaluator: arena.Evaluator = HEURISTIC,
        quiescence: bool = True,
    ) -> None:
        """``quiescence``: go on below ``depth`` while the side to move must capture."""
        self.depth = depth
        self.evaluator = evaluator
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(self.evaluator, self.quiescence)
