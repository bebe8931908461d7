"""Compiling kernels before they are needed: once for each machine, and in nobody's turn."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from numpy.random import default_rng

from arena import plugins
from arena.checkers.board import Board
from arena.checkers.game import DEFAULT_RULES, NO_LIMITS
from arena.checkers.perft import perft
from arena.compiled import marker
from arena.ledger import Ledger
from arena.marker import TurnMarker
from arena.search import Search

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.plugins import Registered


def compile_missing(say: Callable[[str], None]) -> None:
    """See to it that the machine code of the game, the search and all evaluators is in the cache, without loading what
    is there; ``say`` hears of a long wait."""
    file = _marker()
    if file is not None and not file.exists():
        say("compiling, first run only ...")
        for unique in (False, True):
            perft(Board.start(), 2, unique)
        warm_up()
        file.touch()


def warm_up() -> None:
    """Have the machine code that games need at hand: of the referee, the search and all evaluators."""
    ledger = Ledger(Board.from_fen("B:W32:BK1"), DEFAULT_RULES, TurnMarker())
    ledger.enter(ledger.board.legal_moves[0])
    ledger.written()
    game = ledger.view(NO_LIMITS, default_rng)  # with a past: a search looks at the positions that could occur again
    for item in _evaluators():
        with suppress(Exception):  # a fault of an evaluator shows where it is used
            Search(item.cls())(game, 2)


def _evaluators() -> list[Registered]:
    """Those that can be made without being told anything."""
    return [item for item in plugins.load().all("evaluator") if not any(option.required for option in item.options)]


def _marker() -> Path | None:
    return marker(item.cls for item in _evaluators())
