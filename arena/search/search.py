"""The search as players use it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.move import MOVES
from arena.search.evaluation import PythonKernel

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.checkers.move import Move
    from arena.evaluator import Evaluator


@dataclass(frozen=True, slots=True)
class Line:
    """One of the best moves, and the play that the search expects."""

    move: Move
    pv: tuple[Move, ...]
    """Principal variation; begins with ``move``."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found."""

    best: tuple[Line, ...]
    """All moves of the highest value, in the order of the legal moves; at least one."""
    score: float
    """Value for the side to move in the evaluator's units; a forced win in n plies is ``win_score(n)``, a
    forced loss its negative."""
    depth: int
    """Plies, quiescence not counted."""
    nodes: int
    """Positions visited."""
    seconds: float
    """Wall-clock seconds."""


class Search:
    """Alpha-beta with one evaluator; keeps its workspace between calls, so give each thread its own."""

    def __init__(self, evaluator: Evaluator, quiescence: bool = True) -> None:
        from arena.search import alphabeta  # compiles when it is imported

        self._kernels = alphabeta
        kernel = evaluator.kernel()
        self._python = PythonKernel(evaluator) if kernel is None else None
        self._kernel = kernel or self._python.kernel  # type: ignore[union-attr]
        self._work = np.zeros(alphabeta.WORKSPACE, dtype=np.int64)
        self._work[alphabeta.ADDRESS] = self._kernel.address
        self._work[alphabeta.CONTEXT] = self._kernel.context_address
        self._work[alphabeta.QUIESCENCE] = quiescence

    def win_score(self, plies: int) -> float:
        """The score of a win forced in ``plies`` plies: above every value of the evaluator."""
        return (self._kernels.WIN - plies) / self._kernel.scale

    def __call__(self, board: Board, depth: int) -> SearchResult:
        """Search ``depth`` plies (1-64) from a board that has a legal move; raises ValueError.

        Raises what a plain Python evaluator raises.
        """
        if not 1 <= depth <= self._kernels.MAX_DEPTH:
            raise ValueError(f"the depth of a search is 1 to {self._kernels.MAX_DEPTH} plies, not {depth}")
        if not board.legal_moves:
            raise ValueError(f"there is no move to search in {board.fen}")
        began = time.perf_counter()
        rows = self._kernels.search_root(*board.relative, int(board.side), depth, self._work)
        seconds = time.perf_counter() - began
        if self._python is not None:
            self._python.raise_error()
        best = int(rows[:, 1].max())
        lines = tuple(_line(board, row) for row in rows[rows[:, 1] == best].tolist())
        return SearchResult(lines, best / self._kernel.scale, depth, int(self._work[self._kernels.NODES]), seconds)


def _line(board: Board, row: list[int]) -> Line:
    side = board.side
    pv = []
    for code in (row[0], *row[2:]):
        if code < 0:
            break
        pv.append(MOVES[side][code])
        side = side.other
    return Line(pv[0], tuple(pv))
