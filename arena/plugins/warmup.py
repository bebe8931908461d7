"""Compiling kernels before they are needed: once for each machine, before any player's turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.checkers.board import Board
from arena.checkers.game import Game
from arena.checkers.perft import perft
from arena.kernels.compiled import marker
from arena.plugins import registry
from arena.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.plugins.registry import Registered


def compile_missing(say: Callable[[str], None]) -> None:
    """See to it that the machine code of the game, the search and all evaluators is in the cache, without loading what
    is there; ``say`` hears of a long wait, and of evaluators that fail. While one does, nothing counts as compiled."""
    file = _marker()
    if file is not None and not file.exists():
        say("compiling, first run only ...")
        for unique in (False, True):
            perft(Board.start(), 2, unique)
        failed = warm_up()
        for name, error in failed.items():
            say(f"the evaluator {name!r} fails: {type(error).__name__}: {str(error).strip().partition(chr(10))[0]}")
        if not failed:
            file.touch()


def warm_up() -> dict[str, Exception]:
    """Have the machine code that games need at hand: of the referee, the search and all evaluators.

    Returns the evaluators that fail, by name: their faults show where they are used.
    """
    game = Game(Board.from_fen("B:W32:BK1"))
    game.play(game.board.legal_moves[0])  # a past: a search looks at the positions that could occur again
    failed: dict[str, Exception] = {}
    for item in _evaluators():
        try:
            Search(item.cls())(game, 2)
        except Exception as error:
            failed[item.name] = error
    return failed


def _evaluators() -> list[Registered]:
    """Those that can be made without being told anything."""
    return [item for item in registry.load().all("evaluator") if not any(option.required for option in item.options)]


def _marker() -> Path | None:
    return marker(item.cls for item in _evaluators())
