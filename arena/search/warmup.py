"""Compiling the core's kernels before they are needed, once for each machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.checkers.board import Board
from arena.checkers.perft import perft
from arena.compiled import core_marker
from arena.evaluator import Evaluator
from arena.search.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable


class _Nothing(Evaluator):
    def evaluate(self, board: Board) -> float:  # noqa: ARG002  (values nothing)
        return 0.0


def warm_up(say: Callable[[str], None] = lambda _: None) -> None:
    """Make sure that the machine code of the game and the search is there; ``say`` hears of a long wait."""
    marker = core_marker()
    if marker is None or not marker.exists():
        say("compiling, first run only ...")
    board = Board.start()
    perft(board, 2)
    perft(board, 2, unique=True)
    Search(_Nothing())(board, 2)
    if marker is not None:
        marker.touch()
