"""The search, for use by players."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from arena.checkers.game import Game
from arena.checkers.move import MOVES
from arena.interrupts import deferred_interrupt
from arena.search.evaluation import EvaluatorError, PythonKernel
from arena.search.values import DECIDED, NEVER, VALUE_LIMIT, WIN

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.checkers.move import Move
    from arena.contracts.compiled_player import CompiledPlayer
    from arena.contracts.evaluator import Evaluator
    from arena.search.tablebase import Tablebase

_PULSE = ctypes.CFUNCTYPE(ctypes.c_int32)
_SHALLOW = 6
"""Maximum depth in plies of a search with the smallest transposition table."""
_NODES_A_SECOND = 8_000_000
_CALM, _HASTY = 1 << 16, 1 << 10
"""Nodes between two calls of the pulse function, without and with a time limit."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search."""

    move: Move
    """The best move; of equally good moves, the first in the order of the search."""
    score: float
    """Value for the side to move in the evaluator's units. A forced win in n plies has the score ``win_score(n)``, a
    forced loss its negative."""
    depth: int
    """Nominal depth, in plies, of the iteration that gave the result."""
    nodes: int
    """Number of positions visited."""
    seconds: float
    """Wall-clock seconds."""
    pv: tuple[Move, ...]
    """Principal variation; begins with ``move``."""


class Search:
    """Alpha-beta search with one evaluator. Use an instance for one game and in one thread.

    The transposition table is kept from move to move. With ``quiescence`` the search continues below the depth while
    there are captures. The result is the exact minimax value, whatever was searched before. A ``selective`` search is
    not exact, but plays better with the same number of nodes; see :mod:`arena.search.alphabeta`. Positions below the
    root that are in the ``tables`` have their exact value.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        *,
        quiescence: bool = True,
        selective: bool = False,
        tables: Tablebase | None = None,
    ) -> None:
        from arena.search import alphabeta  # compiles when it is imported

        self._kernels: Any = alphabeta
        kernel = evaluator.kernel()
        self._python = PythonKernel(evaluator) if kernel is None else None
        self._kernel = kernel or self._python.kernel  # type: ignore[union-attr]
        self._table = np.zeros(0, dtype=np.int64)
        this = ref(self)  # a reference cycle would keep each search, and its tables, until it is collected
        self._pulse = _PULSE(lambda: (search := this()) is None or search._look_up())
        self._deadline = float("inf")
        work = self._work = np.empty(alphabeta.WORKSPACE, dtype=np.int64)
        work[: alphabeta.FOUND_PV] = 0
        work[alphabeta.ADDRESS] = self._kernel.address
        work[alphabeta.CONTEXT] = self._kernel.context_address
        work[alphabeta.QUIESCENCE] = quiescence
        work[alphabeta.SELECTIVE] = selective
        self._tables = tables
        if tables is not None:
            work[alphabeta.TABLES] = tables.context.ctypes.data
            work[alphabeta.TABLE_PIECES] = tables.pieces
        work[alphabeta.PULSE] = ctypes.cast(self._pulse, ctypes.c_void_p).value or 0
        alphabeta.clear_ordering(work)

    def win_score(self, plies: int) -> float:
        """Return the score of a forced win in ``plies`` plies. It exceeds every value of the evaluator."""
        return (WIN - plies) / self._kernel.scale

    def is_decided(self, score: float) -> bool:
        """Whether a score means a forced win or loss."""
        return abs(score) * self._kernel.scale > DECIDED

    def compiled(self, depth: int) -> CompiledPlayer | None:
        """Return a player for compiled games that searches to ``depth`` like this search.

        Returns None if compiled games do not support the search: with an evaluator in plain Python, with endgame
        tables, or with selective search.
        """
        from arena.contracts.compiled_player import CompiledPlayer

        work, kernels = self._work, self._kernels
        if self._python is not None or self._tables is not None or work[kernels.SELECTIVE]:
            return None
        return CompiledPlayer(self._kernel, depth, quiescence=bool(work[kernels.QUIESCENCE]))

    def __call__(
        self,
        position: Board | Game,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        random: np.random.Generator | None = None,
    ) -> SearchResult:
        """Search a position until a limit is reached; depth 1 is always completed.

        ``depth`` is 1 to 64 plies; ``nodes`` is a number of positions, with the same result on every machine;
        ``seconds`` is wall-clock time. For a Game, its history and its rule of quiet plies count for draws. ``random``
        shuffles the moves first, so that equally good moves are equally likely to be chosen.

        Raises ValueError if ``depth`` is out of range or the position has no legal move, KeyboardInterrupt soon after
        Ctrl-C, and the exceptions of an evaluator in plain Python.
        """
        game = position if isinstance(position, Game) else Game(position)
        kernels, work, board = self._kernels, self._work, game.board
        depth = kernels.MAX_DEPTH if depth is None else depth
        if not 1 <= depth <= kernels.MAX_DEPTH:
            raise ValueError(f"the depth of a search is 1 to {kernels.MAX_DEPTH} plies, not {depth}")
        if not board.legal_moves:
            raise ValueError(f"there is no move to search in {board.fen}")
        began = time.perf_counter()
        codes = board.move_codes()
        if random is not None and len(codes) > 1:
            codes = random.permutation(codes)
        work[kernels.STACK : kernels.STACK + len(codes)] = codes
        self._make_table(_entries(depth, nodes, seconds))
        work[kernels.NODE_LIMIT] = NEVER if nodes is None else nodes
        work[kernels.PULSE_EVERY] = _CALM if seconds is None else _HASTY
        work[kernels.QUIET_LIMIT] = NEVER if game.rules.quiet_plies is None else game.rules.quiet_plies
        self._deadline = float("inf") if seconds is None else began + seconds
        self._set_history(game)
        with deferred_interrupt(self._stop):
            kernels.deepen(*board.relative, int(board.side), depth, game.quiet_plies, len(codes), work)
        self._raise_errors()
        return SearchResult(
            move=MOVES[board.side][int(work[kernels.FOUND_MOVE])],
            score=int(work[kernels.FOUND_VALUE]) / self._kernel.scale,
            depth=int(work[kernels.FOUND_DEPTH]),
            nodes=int(work[kernels.NODES]),
            seconds=time.perf_counter() - began,
            pv=self._variation(board),
        )

    def _make_table(self, entries: int) -> None:
        """Make the transposition table at least ``entries`` entries long. A new, larger table is empty."""
        if len(self._table) < 2 * entries:
            self._table = np.zeros(2 * entries, dtype=np.int64)
            self._work[self._kernels.TABLE] = self._table.ctypes.data
            self._work[self._kernels.TABLE_MASK] = entries - 1

    def _set_history(self, game: Game) -> None:
        """Write the keys of the earlier positions that can occur again before the key of the root."""
        kernels = self._kernels
        root = kernels.KEYS + kernels.HISTORY
        keys = [_key_of(board) for board in islice(game.repeatable(), kernels.HISTORY)]
        keys.reverse()
        self._work[root - len(keys) : root] = keys

    def _variation(self, board: Board) -> tuple[Move, ...]:
        kernels, work = self._kernels, self._work
        codes = work[kernels.FOUND_PV : kernels.FOUND_PV + int(work[kernels.FOUND_LENGTH])].tolist()
        moves, side = [MOVES[board.side][int(work[kernels.FOUND_MOVE])]], board.side
        for code in codes:
            side = side.other
            moves.append(MOVES[side][code])
        return tuple(moves)

    def _look_up(self) -> int:
        """Return 1 to stop the search. The compiled search calls this pulse function at intervals of nodes."""
        failed = self._python is not None and self._python.error is not None
        return int(failed or time.perf_counter() >= self._deadline)

    def _stop(self) -> None:
        self._work[self._kernels.STOP] = 1

    def _raise_errors(self) -> None:
        if self._python is not None:
            self._python.raise_error()
        if self._work[self._kernels.OVERFLOW]:
            limit = VALUE_LIMIT / self._kernel.scale
            raise EvaluatorError(f"the evaluator gave a value beyond its kernel's range of ±{limit:g}")


@lru_cache(maxsize=4096)
def _key_of(board: Board) -> int:
    """Return the key of a position for the history. It is cached because each search needs the keys of the game."""
    from arena.search.alphabeta import key_of

    return int(key_of(*board.relative, int(board.side)))


def _entries(depth: int, nodes: int | None, seconds: float | None) -> int:
    """Return the number of entries (16 bytes each) of a transposition table: a power of two from 2**14 to 2**23.

    This is about one for every four positions that the limits allow, or 2**20 if only the depth is limited.
    """
    if depth <= _SHALLOW:
        return 1 << 14
    allowed = [limit for limit in (nodes, seconds and int(seconds * _NODES_A_SECOND)) if limit is not None]
    return 1 << min(max((int(min(allowed)) // 4).bit_length(), 14), 23) if allowed else 1 << 20
