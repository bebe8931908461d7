"""Minimax search with an evaluator, alpha-beta pruned."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated

import arena
from arena.search import Search
from arena_evaluators.heuristic import Heuristic
from arena_players.searching import SearchingPlayer

if TYPE_CHECKING:
    from arena.search.tablebase import Tablebase

HEURISTIC = Heuristic()


class Minimax(SearchingPlayer):
    """Looks ahead a set number of plies, and on while there are captures, and trusts an evaluator there.

    The student's report stops at the set number of plies: ``quiescence=false``. Going on is ours, and plays better.
    """

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 4,
        evaluator: arena.Evaluator = HEURISTIC,
        quiescence: bool = True,
        nodes: Annotated[int, arena.Range(1)] | None = None,
        seconds: Annotated[float, arena.Range(0)] | None = None,
        selective: bool = False,
        tables: Annotated[int, arena.Range(2, 6)] | None = None,
    ) -> None:
        """``quiescence``: go on below ``depth`` while the side to move must capture; the report stops (false).

        ``nodes`` and ``seconds`` for a move stop the search before ``depth``; ``selective`` searches late moves less
        deep at first, which plays better for its nodes and worse for its depth. ``tables``: play endings of so many
        pieces without error, by the tables that ``arena tablebase build`` makes.
        """
        self.depth = depth
        self.evaluator = evaluator
        self.quiescence = quiescence
        self.nodes = nodes
        self.seconds = seconds
        self.selective = selective
        self.tables = tables

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        tables = None if self.tables is None else _tables(self.tables)
        return Search(self.evaluator, quiescence=self.quiescence, selective=self.selective, tables=tables)


@cache
def _tables(pieces: int) -> Tablebase:
    """Read once in a process; up to four pieces are made in seconds where they are missing."""
    from arena.search.tablebase import DEFAULT_PIECES, Tablebase

    return Tablebase.open(pieces) if pieces <= DEFAULT_PIECES else Tablebase.load(pieces)
