"""Other checkers libraries for Python, and the same tasks done with each of them."""

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
    """A library. Each of its functions returns the amount of work that it did."""

    name: str
    perft: Callable[[int], int]
    """Counts the paths of a number of plies from the start position."""
    random_games: Callable[[int], int]
    """Plays a number of random games move by move and returns this number."""
    depth: int
    """Plies of ``perft`` that take the library a second or less."""
    games: int
    """Random games that take the library a second or less."""
    search: Callable[[], int] | None = None
    """Searches the start position and returns the number of nodes; None if the library has no search."""


def installed(py_draughts: Path | None) -> Iterator[Peer | str]:
    """Yield each installed library, and for each missing one a line with the reason.

    py-draughts and pydraughts both install a package ``draughts``. Therefore py-draughts may be installed in a folder.
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
    """Import the package ``draughts``, from ``folder`` if given. Returns None if it is not installed."""
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
        """Count paths of actions. An action of open_spiel is a single jump, not a whole move."""
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
