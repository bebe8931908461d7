"""A game: the board, how it came about, and when it is over."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

import numpy as np

from arena.checkers.board import Board
from arena.checkers.move import Move, Side

_RESULTS = {Side.BLACK: "1-0", Side.WHITE: "0-1", None: "1/2-1/2"}


class Termination(StrEnum):
    """Why a game is over."""

    NO_MOVES = "no moves"
    REPETITION = "repetition"
    QUIET = "quiet plies"
    PLY_CAP = "ply cap"
    TABLES = "tables"
    SCORES = "scores"
    """Agreed scores: both players' own scores said long enough that the same side was winning."""
    EXCEPTION = "exception"
    ILLEGAL_MOVE = "illegal move"
    TIMEOUT = "timeout"
    CRASH = "crash"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended."""

    winner: Side | None
    """None for a draw."""
    termination: Termination

    @property
    def result(self) -> str:
        """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2`` a draw."""
        return _RESULTS[self.winner]


@dataclass(frozen=True, slots=True)
class DrawRules:
    """When a game is drawn; None switches a rule off."""

    repetitions: int | None = 3
    """Occurrences of one position with the same side to move."""
    quiet_plies: int | None = 80
    """Plies in a row without a capture or a man's move."""
    ply_cap: int | None = 400
    """Plies in all, the opening's included."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a player may spend; None is without limit. What is not said otherwise is for one move."""

    depth: int | None = None
    """Plies."""
    nodes: int | None = None
    """Positions searched."""
    seconds: float | None = None
    """Wall-clock seconds."""
    clock: float | None = None
    """Wall-clock seconds left for all the moves to come."""
    increment: float = 0.0
    """Seconds that the clock gains after each move."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a player tells about its last choice; None where it says nothing."""

    score: float | None = None
    """In the player's own units, from its own point of view."""
    depth: int | None = None
    """Plies."""
    nodes: int | None = None
    """Positions searched."""
    pv: tuple[Move, ...] = ()
    """Principal variation, from the move chosen."""


DEFAULT_RULES = DrawRules()
NO_LIMITS = Limits()
_NO_REPORT = Report()


class Game:
    """A game in progress.

    ``random`` is where a player draws its random numbers; ``limits`` are what it may spend on a move.
    """

    def __init__(
        self,
        board: Board | None = None,
        rules: DrawRules = DEFAULT_RULES,
        limits: Limits = NO_LIMITS,
        random: np.random.Generator | None = None,
    ) -> None:
        self.rules = rules
        self.limits = limits
        self.board = board or Board.start()
        """The position now; changed by :meth:`play` and :meth:`undo` alone."""
        self._boards = [self.board]
        self._moves: list[Move] = []
        self._quiet = [0]
        self._random = random
        self._report = _NO_REPORT

    @property
    def random(self) -> np.random.Generator:
        """The source of chance; seeded by the arena for each game and side."""
        if self._random is None:
            self._random = np.random.default_rng()
        return self._random

    @property
    def side(self) -> Side:
        """Whose turn it is."""
        return self.board.side

    @property
    def ply(self) -> int:
        """Number of moves played."""
        return len(self._moves)

    @property
    def boards(self) -> tuple[Board, ...]:
        """Every position of the game, the first and the present one included."""
        return tuple(self._boards)

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played."""
        return tuple(self._moves)

    @property
    def quiet_plies(self) -> int:
        """Plies since the last capture or man's move."""
        return self._quiet[-1]

    @property
    def repetitions(self) -> int:
        """How often the present position has occurred, this time included."""
        return self._boards[-1 - self._quiet[-1] :].count(self.board)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended by the rules; None while it goes on."""
        board, rules, quiet = self.board, self.rules, self._quiet[-1]
        if not board.legal_moves:
            return Outcome(board.side.other, Termination.NO_MOVES)
        times, most, cap = rules.repetitions, rules.quiet_plies, rules.ply_cap
        if times is not None and quiet >= 4 * (times - 1) and self.repetitions >= times:
            return Outcome(None, Termination.REPETITION)
        if most is not None and quiet >= most:
            return Outcome(None, Termination.QUIET)
        if cap is not None and len(self._moves) >= cap:
            return Outcome(None, Termination.PLY_CAP)
        return None

    def play(self, move: Move) -> None:
        """Make a legal move; raises IllegalMove. It is allowed after a draw by rule too."""
        before = self.board
        self.board = after = before.after(move)
        quiet = self._quiet
        quiet.append(0 if move.captures or not before.kings & move._origin else quiet[-1] + 1)
        self._moves.append(move)
        self._boards.append(after)

    def undo(self) -> Move:
        """Take the last move back and return it; raises IndexError where there is none."""
        if not self._moves:
            raise IndexError("there is no move to take back")
        self._boards.pop()
        self._quiet.pop()
        self.board = self._boards[-1]
        return self._moves.pop()

    def copy(self, random: np.random.Generator | None = None) -> Self:
        """The same game with a history of its own, and another ``random`` where one is given."""
        twin = type(self)(self.board, self.rules, self.limits, random or self._random)
        twin._boards = self._boards.copy()
        twin._moves = self._moves.copy()
        twin._quiet = self._quiet.copy()
        return twin

    def report(
        self,
        score: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        pv: tuple[Move, ...] = (),
    ) -> None:
        """What a player wants on record about the move that it is about to choose; see :class:`Report`.

        Raises ValueError for a depth beyond 0-32767, a count of nodes beyond 0-2**63 - 1, or no moves in ``pv``.
        """
        if depth is not None and not 0 <= depth < 2**15:
            raise ValueError(f"a depth is 0 to 32767 plies, not {depth}")
        if nodes is not None and not 0 <= nodes < 2**63:
            raise ValueError(f"a number of nodes is 0 to 2**63 - 1, not {nodes}")
        if not all(isinstance(move, Move) for move in pv):
            raise ValueError("a principal variation is made of moves")
        self._report = Report(
            None if score is None else float(score),
            None if depth is None else int(depth),
            None if nodes is None else int(nodes),
            tuple(pv),
        )

    def take_report(self) -> Report:
        """The last report since this was last asked for."""
        report, self._report = self._report, _NO_REPORT
        return report

    def __repr__(self) -> str:
        return f"Game({self.board.fen!r}, ply {self.ply})"
