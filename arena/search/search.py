"""The search as players use it."""

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
"""Plies up to which a search has the smallest transposition table."""
_NODES_A_SECOND = 8_000_000
_CALM, _HASTY = 1 << 16, 1 << 10
"""Nodes between two looks at the world outside, without and with a limit of time."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found."""

    move: Move
    """The best move; of equal ones the first in the order in which they were searched."""
    score: float
    """Value for the side to move in the evaluator's units; a win forced in n plies is ``win_score(n)``, a loss its
    negative."""
    depth: int
    """Deepest iteration, in plies, that the result comes from; quiescence and extensions not counted."""
    nodes: int
    """Positions visited."""
    seconds: float
    """Wall-clock seconds."""
    pv: tuple[Move, ...]
    """Principal variation; begins with ``move``."""


class Search:
    """Alpha-beta with one evaluator, to be used for one game by one thread: its table lasts from move to move.

    ``quiescence`` goes on below the depth while there are captures. A search finds the minimax value to the very
    depth, whatever was searched before; a ``selective`` one plays better for its nodes (see
    :mod:`arena.search.alphabeta`). Positions after the root's moves that are in the ``tables`` have their exact value.
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
        """The score of a win forced in ``plies`` plies: above every value of the evaluator."""
        return (WIN - plies) / self._kernel.scale

    def is_decided(self, score: float) -> bool:
        """Whether a score is that of a forced win or loss."""
        return abs(score) * self._kernel.scale > DECIDED

    def compiled(self, depth: int) -> CompiledPlayer | None:
        """What plays as this search does to that depth in compiled games; None where only the interpreter can."""
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
        """Search a position that has a legal move until a limit is reached; at least one ply is always searched.

        ``depth``: plies, 1-64; ``nodes``: positions, exactly as many on any machine; ``seconds``: wall-clock time.
        A game's history and rule of quiet plies count for draws. ``random`` shuffles the moves first, so that each of
        several equally good ones is chosen as often. Raises ValueError, KeyboardInterrupt as soon as it is pressed,
        and what a plain Python evaluator raises.
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
        """Make sure that the transposition table has so many entries; a table that grows begins empty."""
        if len(self._table) < 2 * entries:
            self._table = np.zeros(2 * entries, dtype=np.int64)
            self._work[self._kernels.TABLE] = self._table.ctypes.data
            self._work[self._kernels.TABLE_MASK] = entries - 1

    def _set_history(self, game: Game) -> None:
        """Put the keys of the positions that could occur again before the root's."""
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
        """Called by the compiled search from time to time: 1 tells it to stop."""
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
    """The key of a position in the transposition table and in the history; those of a game are asked for again and
    again."""
    from arena.search.alphabeta import key_of

    return int(key_of(*board.relative, int(board.side)))


def _entries(depth: int, nodes: int | None, seconds: float | None) -> int:
    """Entries (16 bytes each) of a transposition table: 2**14 to 2**23, a power of two.

    About one for every four positions that the limits allow; 2**20 where depth alone limits the search.
    """
    if depth <= _SHALLOW:
        return 1 << 14
    allowed = [limit for limit in (nodes, seconds and int(seconds * _NODES_A_SECOND)) if limit is not None]
    return 1 << min(max((int(min(allowed)) // 4).bit_length(), 14), 23) if allowed else 1 << 20
