"""Minimax search with alpha-beta pruning and any evaluator."""

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
    """Searches to a fixed depth, continues while there are captures, and values the boards with an evaluator.

    The student's report stops at the fixed depth: ``quiescence=false``. Continuing is ours and plays better.
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
        """``depth``: plies to search. ``evaluator``: evaluates the boards at the end of the search.

        ``quiescence``: search below ``depth`` while the side to move must capture. The report does not (false).

        ``nodes``, ``seconds``: limits of one move, which can stop the search before ``depth``.

        ``selective``: search late moves less deeply at first. This is stronger for equal nodes and weaker for equal
        depth.

        ``tables``: play endings with at most this number of pieces perfectly, with the tables of ``arena tablebase
        build``.
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
    """The tables, read once in a process. Missing tables of up to four pieces are built, which takes seconds."""
    from arena.search.tablebase import DEFAULT_PIECES, Tablebase

    return Tablebase.open(pieces) if pieces <= DEFAULT_PIECES else Tablebase.load(pieces)
