"""Players that take part in the checks of other components. Workers load them from this file."""

from __future__ import annotations

import arena
from arena.search import Search


class Chance(arena.Player):
    """Choose each legal move with the same probability."""

    def choose(self, game: arena.Game) -> arena.Move:
        moves = game.board.legal_moves
        return moves[game.random.integers(len(moves))]


class Searcher(arena.Player):
    """Search two plies with an evaluator."""

    def __init__(self, evaluator: arena.Evaluator) -> None:
        """``evaluator``: values of the positions at the end of the search."""
        self.evaluator = evaluator
        self._search = Search(evaluator)

    def choose(self, game: arena.Game) -> arena.Move:
        return self._search(game, 2).move
