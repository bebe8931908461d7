"""Checkers Arena: which learning scheme plays checkers better, and how sure are we?

What a plugin author needs is here; each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from arena.checkers.board import Board as Board
    from arena.checkers.game import DrawRules as DrawRules
    from arena.checkers.game import Game as Game
    from arena.checkers.game import Limits as Limits
    from arena.checkers.game import Outcome as Outcome
    from arena.checkers.game import Termination as Termination
    from arena.checkers.move import Move as Move
    from arena.checkers.move import Side as Side
    from arena.checkers.perft import perft as perft
    from arena.compiled import context_array as context_array
    from arena.compiled import evaluator_kernel as evaluator_kernel
    from arena.compiled import kernel as kernel
    from arena.episode import Episode as Episode
    from arena.errors import ArenaError as ArenaError
    from arena.errors import BadFEN as BadFEN
    from arena.errors import IllegalMove as IllegalMove
    from arena.evaluator import CompiledEvaluator as CompiledEvaluator
    from arena.evaluator import Evaluator as Evaluator
    from arena.evaluator import Kernel as Kernel
    from arena.hookspecs import hookimpl as hookimpl
    from arena.learner import Learner as Learner
    from arena.model import Model as Model
    from arena.opening import Opening as Opening
    from arena.opening import OpeningBook as OpeningBook
    from arena.options import Kind as Kind
    from arena.options import Range as Range
    from arena.player import Player as Player
    from arena.rating import PlayerRating as PlayerRating
    from arena.rating import RatedGame as RatedGame
    from arena.rating import Rating as Rating
    from arena.record import GameRecord as GameRecord
    from arena.seat import Seat as Seat
    from arena.store.results import Results as Results

_HOMES = {
    "checkers.board": ["Board"],
    "checkers.game": ["DrawRules", "Game", "Limits", "Outcome", "Termination"],
    "checkers.move": ["Move", "Side"],
    "checkers.perft": ["perft"],
    "compiled": ["context_array", "evaluator_kernel", "kernel"],
    "episode": ["Episode"],
    "errors": ["ArenaError", "BadFEN", "IllegalMove"],
    "evaluator": ["CompiledEvaluator", "Evaluator", "Kernel"],
    "hookspecs": ["hookimpl"],
    "learner": ["Learner"],
    "model": ["Model"],
    "opening": ["Opening", "OpeningBook"],
    "options": ["Kind", "Range"],
    "player": ["Player"],
    "rating": ["PlayerRating", "RatedGame", "Rating"],
    "record": ["GameRecord"],
    "seat": ["Seat"],
    "store.results": ["Results"],
}
_HOME = {name: f"arena.{home}" for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
