"""A game: its positions and moves, the draw rules, and the outcome."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from numpy.random import default_rng

from arena.checkers.board import Board
from arena.checkers.move import Move, Side
from arena.checkers.rules import DEFAULT_RULES as DEFAULT_RULES
from arena.checkers.rules import NO_LIMITS as NO_LIMITS
from arena.checkers.rules import DrawRules as DrawRules
from arena.checkers.rules import Limits as Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    RandomSource = np.random.Generator | Callable[[], np.random.Generator]

_RESULTS = {Side.BLACK: "1-0", Side.WHITE: "0-1", None: "1/2-1/2"}


class Termination(StrEnum):
    """Why a game is over."""

    NO_MOVES = "no moves"
    REPETITION = "repetition"
    QUIET = "quiet plies"
    PLY_CAP = "ply cap"
    TABLES = "tables"
    SCORES = "scores"
    """Adjudication: the scores of both players agreed on the winner for the number of plies that the rule demands."""
    RESIGNATION = "resignation"
    """A person resigned."""
    AGREEMENT = "agreement"
    """A person offered a draw, and the opponent accepted."""
    EXCEPTION = "exception"
    ILLEGAL_MOVE = "illegal move"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"


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


class Report(NamedTuple):
    """A player's statement about its last choice. A field is None if the player does not report it."""

    score: float | None = None
    """Score in the player's own units, from its own point of view."""
    depth: int | None = None
    """Search depth in plies."""
    nodes: int | None = None
    """Number of positions searched."""
    pv: str = ""
    """Principal variation, beginning with the chosen move: moves as ``str`` writes them, separated by blanks."""


LONGEST_PV = 100
"""Maximum number of moves of a principal variation that are kept."""
NO_REPORT = Report()


Position = tuple[Board, int, int, Move | None, "Position | None"]
"""A position of a game, linked to the one before it: the board, plies since the last capture or man's move, plies since
the start, the move that led to the position, and the position before that move. The first position has no move and no
position before it. Positions are immutable, so copies of a game share them."""
_BOARD: Final = 0
_QUIET: Final = 1
_PLY: Final = 2
_BEFORE: Final = 4


class Game:
    """A game in progress.

    ``random`` is the generator from which the player draws its random numbers, or a function that creates it.
    ``limits`` are the limits of the player's search.
    """

    _report = NO_REPORT
    _seen: dict[Board, int] | None = None
    """Number of occurrences of each position since the last capture or man's move; None if not counted yet."""

    def __init__(
        self,
        board: Board | None = None,
        rules: DrawRules = DEFAULT_RULES,
        limits: Limits = NO_LIMITS,
        random: RandomSource | None = None,
    ) -> None:
        self.rules = rules
        self.limits = limits
        self.board = board or Board.start()
        """The current position; only :meth:`play` and :meth:`undo` change it."""
        self._now: Position = self.board, 0, 0, None, None
        self._random = random

    @property
    def random(self) -> np.random.Generator:
        """The generator for random choices; the arena seeds one for each game and side."""
        random = self._random or default_rng
        if callable(random):
            self._random = random = random()
        return random

    @property
    def side(self) -> Side:
        """The side to move."""
        return self.board.side

    @property
    def ply(self) -> int:
        """Number of moves played."""
        return self._now[_PLY]

    @property
    def boards(self) -> tuple[Board, ...]:
        """Every position of the game, from the first to the current one: plies + 1."""
        boards: list[Board] = []
        position: Position | None = self._now
        while position is not None:
            board, _, _, _, position = position
            boards.append(board)
        return tuple(boards[::-1])

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played."""
        moves: list[Move] = []
        _, _, _, move, position = self._now
        while move is not None and position is not None:
            moves.append(move)
            _, _, _, move, position = position
        return tuple(moves[::-1])

    @property
    def quiet_plies(self) -> int:
        """Plies since the last capture or man's move."""
        return self._now[_QUIET]

    @property
    def repetitions(self) -> int:
        """Number of times that the current position has occurred, this one included."""
        if self._seen is None:
            self._seen = Counter((self.board, *self.repeatable()))
        return self._seen[self.board]

    def repeatable(self) -> Iterator[Board]:
        """Yield the positions before this one that can occur again, latest first.

        These are the positions since the last capture or man's move.
        """
        position: Position | None = self._now
        for _ in range(self._now[_QUIET]):
            position = position and position[_BEFORE]
            if position is not None:
                yield position[_BOARD]

    @property
    def outcome(self) -> Outcome | None:
        """The outcome by the rules; None while the game goes on."""
        board, quiet, ply, _, _ = self._now
        rules = self.rules
        if board.stuck:
            return Outcome(board.side.other, Termination.NO_MOVES)
        times, most, cap = rules.repetitions, rules.quiet_plies, rules.ply_cap
        if times is not None and quiet >= 4 * (times - 1) and self.repetitions >= times:
            return Outcome(None, Termination.REPETITION)
        if most is not None and quiet >= most:
            return Outcome(None, Termination.QUIET)
        if cap is not None and ply >= cap:
            return Outcome(None, Termination.PLY_CAP)
        return None

    def play(self, move: Move) -> None:
        """Make a move; raises IllegalMove if it is not legal. Moves may also be made after a draw by rule."""
        board, quiet, ply, _, _ = before = self._now
        if move not in board.legal_moves:
            board.check(move)
        quiet = 0 if move.captures or not board.kings & move._masks[0] else quiet + 1
        self.board = after = board.after_legal(move)
        self._now = after, quiet, ply + 1, move, before
        if (seen := self._seen) is not None:
            if quiet:
                seen[after] = seen.get(after, 0) + 1
            else:
                self._seen = None

    def undo(self) -> Move:
        """Take the last move back and return it; raises IndexError if there is none."""
        _, _, _, move, before = self._now
        if move is None or before is None:
            raise IndexError("there is no move to take back")
        self._now = before
        self.board = before[_BOARD]
        self._seen = None
        return move

    def copy(self, random: RandomSource | None = None, limits: Limits | None = None) -> Game:
        """Return an independent copy, with another ``random`` and other ``limits`` if they are given.

        The copy has no report.
        """
        twin = object.__new__(Game)
        twin.rules = self.rules
        twin.limits = limits or self.limits
        twin.board = self.board
        twin._now = self._now
        twin._random = random or self._random
        return twin

    def report(
        self,
        score: float | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        pv: tuple[Move, ...] = (),
    ) -> None:
        """Record a player's statement about the move that it is about to choose; see :class:`Report`.

        A score that is not finite is recorded as None. Only the first 100 moves of ``pv`` are kept.
        Raises ValueError for a depth outside 0-32767, a number of nodes outside 0 to 2**63 - 1, or a ``pv`` that
        contains anything but moves.
        """
        score = None if score is None or not isfinite(value := float(score)) else value
        depth = None if depth is None else int(depth)
        nodes = None if nodes is None else int(nodes)
        if depth is not None and not 0 <= depth < 2**15:
            raise ValueError(f"a depth is 0 to 32767 plies, not {depth}")
        if nodes is not None and not 0 <= nodes < 2**63:
            raise ValueError(f"a number of nodes is 0 to 2**63 - 1, not {nodes}")
        if not all(isinstance(move, Move) for move in pv):
            raise ValueError("a principal variation is made of moves")
        self._report = Report(score, depth, nodes, " ".join([move._text for move in pv[:LONGEST_PV]]))

    @property
    def reported(self) -> Report:
        """The last report of the player."""
        return self._report

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[Any, ...]]:
        """Pickle the moves: following the linked positions of a long game would exceed the recursion limit."""
        return Game._played, (self.boards[0], self.rules, self.limits, self.random, self.moves)

    @classmethod
    def _played(cls, board: Board, rules: DrawRules, limits: Limits, random: Any, moves: tuple[Move, ...]) -> Self:
        game = cls(board, rules, limits, random)
        for move in moves:
            game.play(move)
        return game

    def _repr_svg_(self) -> str:
        return self.board._repr_svg_()

    def __repr__(self) -> str:
        return f"Game({self.board.fen!r}, ply {self.ply})"
