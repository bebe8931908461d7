"""How much a move loses of the result that the game could have, by searches.

A search of a fixed number of nodes gives the value of the position before the move; a search of the position after the
move, one ply less deep, gives the value of the move. The logistic function turns a value into the chance of winning, a
draw counting half: p = 1 / (1 + exp(-scale * value)). The loss of the move is the difference of the two chances.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from arena.search.search import Search

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.contracts.evaluator import Evaluator
    from arena.search.tablebase import Tablebase

NODES = 5000
"""Positions that the search before a move visits, if no other number is given."""


class Judge:
    """Measures the losses of moves. The loss of a move does not depend on what was measured before."""

    def __init__(
        self, evaluator: Evaluator, *, nodes: int = NODES, scale: float = 1.0, tables: Tablebase | None = None
    ) -> None:
        """``scale`` is the log odds of a value of 1.

        It is 1 for ``patterns``, whose values are log odds: TD-Leaf learned them through this logistic function.
        """
        self._evaluator = evaluator
        self._nodes = nodes
        self._scale = scale
        self._tables = tables

    def loss(self, before: Board, after: Board) -> float:
        """Return the chance of winning (0 to 1) that the move from ``before`` to ``after`` loses.

        It is 0 for the best move of the search, for the only legal move, and for a move that wins at once. The history
        of the game does not count.
        """
        if len(before.legal_moves) == 1 or not after.legal_moves:
            return 0.0
        best = Search(self._evaluator, tables=self._tables)(before, nodes=self._nodes)
        if before.after(best.move) == after:
            return 0.0
        reply = Search(self._evaluator, tables=self._tables)(after, depth=max(best.depth - 1, 1))
        return max(0.0, self._chance(best.score) - self._chance(-reply.score))

    def _chance(self, value: float) -> float:
        return 0.5 + 0.5 * math.tanh(self._scale * value / 2)  # equal to the logistic function, without overflow
