"""Other libraries that a Python user has: the same two tasks, done with each one's own means."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Peer:
    """A library; each function returns how much it has done."""

    name: str
    perft: Callable[[int], int]
    """Depth -> number of paths from the start."""
    random_games: Callable[[int], int]
    """Plays so many games move by move."""
    depth: int
    games: int
    """What it does in a second or less."""
    search: Callable[[], int] | None = None
    """Searches the start position; nodes."""


def installed(py_draughts: Path | None) -> Iterator[Peer | str]:
    """Each peer, or a line that says why it is missing.

    py-draughts and pydraughts both call their package ``draughts``; so one of them may stand in a folder of its own.
    """
    try:
        yield _open_spiel(import_module("pyspiel"))
    except ImportError:
        yield "open_spiel is not installed (pip install open_spiel)"
    modules = [_draughts(None)]
    if py_draughts is not None:
        modules.append(_draughts(py_draughts))
    old = next((module for module in modules if module and not hasattr(module, "AmericanBoard")), None)
    new = next((module for module in modules if module and hasattr(module, "AmericanBoard")), None)
    yield _pydraughts(old) if old else "pydraughts is not installed (pip install pydraughts)"
    yield _py_draughts(new) if new else "py-draughts is not installed (see benchmarks/README.md)"


def _draughts(folder: Path | None) -> Any:
    """The package ``draughts``, from ``folder`` if there is one."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "draughts"]:
        del sys.modules[name]
    path = sys.path.copy()
    sys.path[:0] = [str(folder)] if folder else []
    try:
        return import_module("draughts")
    except ImportError:
        return None
    finally:
        sys.path[:] = path


def _open_spiel(pyspiel: Any) -> Peer:
    game = pyspiel.load_game("checkers")

    def perft(depth: int, state: Any = None) -> int:
        """Its moves are single jumps; a turn of several has several."""
        state = state or game.new_initial_state()
        actions = state.legal_actions()
        return len(actions) if depth == 1 else sum(perft(depth - 1, state.child(action)) for action in actions)

    def play(games: int) -> int:
        draw = random.Random(1).random
        for _ in range(games):
            state = game.new_initial_state()
            while not state.is_terminal():
                actions = state.legal_actions()
                state.apply_action(actions[int(draw() * len(actions))])
        return games

    return Peer("open_spiel", perft, play, 6, 300)


def _pydraughts(draughts: Any) -> Peer:
    def perft(depth: int, board: Any = None) -> int:
        board = board or draughts.Board(variant="english")
        moves = board.legal_moves()
        if depth == 1:
            return len(moves)
        total = 0
        for move in moves:
            board.push(move)
            total += perft(depth - 1, board)
            board.pop()
        return total

    def play(games: int) -> int:
        draw = random.Random(1).random
        for _ in range(games):
            board = draughts.Board(variant="english")
            plies = 0
            while plies < 400 and (moves := board.legal_moves()):
                board.push(moves[int(draw() * len(moves))])
                plies += 1
        return games

    return Peer("pydraughts", perft, play, 3, 1)


def _py_draughts(draughts: Any) -> Peer:
    def perft(depth: int, board: Any = None) -> int:
        board = board or draughts.AmericanBoard()
        moves = list(board.legal_moves)
        if depth == 1:
            return len(moves)
        total = 0
        for move in moves:
            board.push(move)
            total += perft(depth - 1, board)
            board.pop()
        return total

    def play(games: int) -> int:
        draw = random.Random(1).random
        for _ in range(games):
            board = draughts.AmericanBoard()
            plies = 0
            while plies < 400 and not board.game_over and (moves := list(board.legal_moves)):
                board.push(moves[int(draw() * len(moves))])
                plies += 1
        return games

    def search() -> int:
        engine = draughts.SimpleEngine(depth_limit=6)
        engine.get_best_move(draughts.AmericanBoard())
        return int(engine.nodes)

    return Peer("py-draughts", perft, play, 6, 50, search)
