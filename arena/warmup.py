"""Compiling kernels before they are needed: once for each machine, and in nobody's turn."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from arena import plugins
from arena.checkers.board import Board
from arena.checkers.perft import perft
from arena.compiled import core_marker
from arena.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable


def warm_up(say: Callable[[str], None] = lambda _: None) -> None:
    """Have the machine code of the game, the search and all evaluators at hand; ``say`` hears of a long wait."""
    marker = core_marker()
    if marker is None or not marker.exists():
        say("compiling, first run only ...")
    board = Board.start()
    perft(board, 2)
    perft(board, 2, unique=True)
    for item in plugins.load().all("evaluator"):
        if not any(option.required for option in item.options):
            with suppress(Exception):  # a fault of an evaluator shows where it is used
                Search(item.cls())(board, 2)
    if marker is not None:
        marker.touch()
