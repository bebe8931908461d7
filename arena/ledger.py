"""The referee's account of a game, kept by compiled code.

A ledger knows the rules: it enters legal moves and no others, says when the game is over, and holds every position; a
ply takes it a fraction of a microsecond. What players are shown, an :class:`arena.Game`, takes several, so that is only
worked out when somebody looks at it, and once for both.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.checkers.bitboard import MAX_MOVES, can_capture, can_step, generate, make
from arena.checkers.bits import rotate
from arena.checkers.endings import ENDINGS, GOES_ON, ending_of, limits_of
from arena.checkers.game import NO_REPORT, Game, Outcome, Position, Termination, first_position, next_position
from arena.checkers.move import SIDES, Move
from arena.columns import DEPTHS, NODES, SCORES, SECONDS, little_endian
from arena.compiled import context_array, entry_point, inline_kernel, kernel, short_kernel
from arena.errors import IllegalMove
from arena.marker import CODES, NOBODY, NUMBERS, PLIES, TURN, WORDS
from arena.record import Remarks

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.checkers.board import Board
    from arena.checkers.game import DrawRules, Limits, RandomSource, Report
    from arena.checkers.move import Side
    from arena.marker import TurnMarker

_ENDINGS = (*ENDINGS, None)
"""Why the game is over, by what entering a move says: the last, at -1, is that it goes on."""
_ILLEGAL, _FULL = -2, -3
"""What entering a move says when it could not be entered."""
_ROOM = 512
"""Positions that a ledger has room for at first."""

# The book: a header, room for the legal moves, and a row for each position.
_ROWS_IN_ALL, _PLY, _SIDE, _QUIET, _REPETITIONS, _QUIET_PLIES, _CAP = range(7)
_MOVES = _CAP + 1
_ROWS = _MOVES + MAX_MOVES
_BLACK, _WHITE, _KINGS, _AMBIGUOUS, _DEPTH, _NODES, _SCORE, _SECONDS = range(8)
"""A row: absolute masks; whether another capture than the move played there joins the same two squares; what the player
said about its move, and for how long it thought, scores and seconds as the bits of a float64."""
_COLUMNS = 8


@inline_kernel
def _table(book: int, rows: int) -> np.ndarray:
    table: np.ndarray = context_array(book + 8 * _ROWS, _COLUMNS * rows).reshape((rows, _COLUMNS))
    return table


@kernel
def _stuck(own: int, opp: int, kings: int) -> bool:
    return not (can_step(own, opp, kings) or can_capture(own, opp, kings))


@short_kernel
def _begin(
    book: np.ndarray, black: int, white: int, kings: int, side: int, repetitions: int, quiet_plies: int, cap: int
) -> tuple[int, int]:
    """Write the first position; returns the number of the ending that it is, and the address of the book."""
    rows = (len(book) - _ROWS) // _COLUMNS
    book[_ROWS_IN_ALL], book[_PLY], book[_SIDE], book[_QUIET] = rows, 0, side, 0
    book[_REPETITIONS], book[_QUIET_PLIES], book[_CAP] = repetitions, quiet_plies, cap
    address = book.ctypes.data
    table = _table(address, rows)
    table[0, _BLACK], table[0, _WHITE], table[0, _KINGS] = black, white, kings
    own, opp = black, white
    if side:
        own, opp, kings = rotate(white), rotate(black), rotate(kings)
    return ending_of(_stuck(own, opp, kings), table, 0, 0, repetitions, quiet_plies, cap), address


@short_kernel
def _enter(book: int, code: int, score: float, depth: int, nodes: int, seconds: float, marker: int) -> int:
    """Enter the move of that code, tell the marker, and return the number of the ending that it brings."""
    header = context_array(book, _ROWS)
    rows, ply, side = header[_ROWS_IN_ALL], header[_PLY], header[_SIDE]
    if ply + 1 >= rows:
        return _FULL
    table = _table(book, rows)
    own, opp, kings = table[ply, side], table[ply, 1 - side], table[ply, _KINGS]
    if side:
        own, opp, kings = rotate(own), rotate(opp), rotate(kings)
    legal = False
    joining = 0
    for i in range(_MOVES, _MOVES + generate(own, opp, kings, header, _MOVES)):
        legal |= header[i] == code
        joining += (header[i] ^ code) & 1023 == 0
    if not legal:
        return _ILLEGAL
    table[ply, _AMBIGUOUS], table[ply, _DEPTH], table[ply, _NODES] = joining > 1, depth, nodes
    values = table.view(np.float64)
    values[ply, _SCORE], values[ply, _SECONDS] = score, seconds
    quiet = 0 if code >> 32 or not kings >> (code & 31) & 1 else header[_QUIET] + 1
    own, opp, kings = make(own, opp, kings, code)
    side = 1 - side
    ply += 1
    header[_PLY], header[_SIDE], header[_QUIET] = ply, side, quiet
    stuck = _stuck(own, opp, kings)
    if side:
        own, opp, kings = rotate(own), rotate(opp), rotate(kings)
    table[ply, side], table[ply, 1 - side], table[ply, _KINGS] = own, opp, kings
    words = context_array(marker, WORDS)
    if CODES + ply <= WORDS:
        words[CODES + ply - 1] = code
        words[PLIES] = ply
    end = ending_of(stuck, table, ply, quiet, header[_REPETITIONS], header[_QUIET_PLIES], header[_CAP])
    if end == GOES_ON and words[TURN] & 3 != NOBODY:
        words[TURN] = (words[TURN] >> 2) + 1 << 2 & NUMBERS | side
    return end


@short_kernel
def _read(
    book: int,
    boards: np.ndarray,
    ambiguous: np.ndarray,
    scores: np.ndarray,
    depths: np.ndarray,
    nodes: np.ndarray,
    seconds: np.ndarray,
) -> None:
    """Fill in the columns, with a place for each board and, in the others, for each ply."""
    table = _table(book, len(boards))
    values = table.view(np.float64)
    for ply in range(len(boards)):
        boards[ply, 0], boards[ply, 1], boards[ply, 2] = table[ply, _BLACK], table[ply, _WHITE], table[ply, _KINGS]
    for ply in range(len(scores)):
        ambiguous[ply], depths[ply], nodes[ply] = table[ply, _AMBIGUOUS], table[ply, _DEPTH], table[ply, _NODES]
        scores[ply], seconds[ply] = values[ply, _SCORE], values[ply, _SECONDS]


@cache
def _compiled() -> tuple[Callable[..., Any], ...]:
    return (
        entry_point(_begin, f"(int64[::1], {', '.join(7 * ['int64'])})"),
        entry_point(_enter, "(int64, int64, float64, int64, int64, float64, int64)"),
        entry_point(_read, "(int64, uint32[:, ::1], boolean[::1], float32[::1], int16[::1], int64[::1], float32[::1])"),
    )


class Ledger:
    """A game from ``board`` on, what the players said about their moves, and how long they thought.

    ``marker`` is told of every move.
    """

    def __init__(self, board: Board, rules: DrawRules, marker: TurnMarker) -> None:
        self.first = board.side
        self.moves: list[Move] = []
        """Those entered."""
        self._mover = int(board.side)
        self._pvs: list[str] = []
        self._positions = {0: first_position(board)}
        self._rules = rules
        self._marker = marker
        begin, self._enter, self._read = _compiled()
        self._book = _new_book(_ROOM)
        ending, self._address = begin(self._book, *board, *limits_of(rules))
        self.ending = _ENDINGS[ending]
        """Why the game is over by the rules; None while it goes on."""

    def enter(self, move: Move, report: Report = NO_REPORT, seconds: float = SECONDS.none) -> None:
        """Play a move, about which the player said, and for which it took, so much.

        A draw by rule does not keep anybody from entering more. Raises IllegalMove for anything but a legal move.
        """
        if type(move) is not Move:
            raise IllegalMove("what is no move at all")
        mover = self._mover
        score, depth, nodes, pv = report
        ending = self._enter(
            self._address,
            move._codes[mover],
            SCORES.none if score is None else score,
            DEPTHS.none if depth is None else depth,
            NODES.none if nodes is None else nodes,
            seconds,
            self._marker.address,
        )
        if ending < GOES_ON:
            if ending == _ILLEGAL:
                raise IllegalMove(f"{move} is not legal in {self.board.fen}")
            self._make_room()
            self.enter(move, report, seconds)
            return
        self.ending = _ENDINGS[ending]
        self._mover = 1 - mover
        self.moves.append(move)
        self._pvs.append(pv)

    @property
    def side(self) -> Side:
        """Whose turn it is."""
        return SIDES[self._mover]

    @property
    def ply(self) -> int:
        """Number of moves entered."""
        return len(self.moves)

    @property
    def board(self) -> Board:
        """The position now."""
        return self.position(self.ply)[0]

    @property
    def outcome(self) -> Outcome:
        """How the game ended by the rules; raises ValueError while it goes on."""
        if self.ending is None:
            raise ValueError("the game goes on")
        return Outcome(self.side.other if self.ending is Termination.NO_MOVES else None, self.ending)

    def view(self, limits: Limits, random: RandomSource) -> Game:
        """The game as it stands now, for a player who may spend so much on a move."""
        view = object.__new__(_View)
        view.rules = self._rules
        view.limits = limits
        view._random = random
        view._ledger = self
        view._ply = len(self.moves)
        return view

    def written(self) -> tuple[bytes, str, Remarks]:
        """Boards, moves and remarks as a :class:`~arena.record.GameRecord` has them."""
        plies = self.ply
        boards = np.empty((plies + 1, 3), np.uint32)
        ambiguous = np.empty(plies, np.bool_)
        scores, depths, nodes, seconds = (
            np.empty(plies, dtype) for dtype in (np.float32, np.int16, np.int64, np.float32)
        )
        self._read(self._address, boards, ambiguous, scores, depths, nodes, seconds)
        texts = [move._short for move in self.moves]
        for ply in ambiguous.nonzero()[0].tolist():
            texts[ply] = self.moves[ply]._text
        remarks = Remarks.packed(scores=scores, depths=depths, nodes=nodes, seconds=seconds, pvs=self._pvs)
        return little_endian(boards), " ".join(texts), remarks

    def position(self, ply: int) -> Position:
        """What there was after so many moves, as a :class:`arena.Game` knows it."""
        known, last = self._positions, ply
        while last not in known:
            last -= 1
        for before in range(last, ply):  # whoever does this at the same time, in a thread, comes to the same
            known[before + 1] = next_position(known[before], self.moves[before])
        return known[ply]

    def _make_room(self) -> None:
        """Twice as much as there is."""
        rows = 2 * (self.ply + 1)
        book = _new_book(rows)
        book[: len(self._book)] = self._book
        book[_ROWS_IN_ALL] = rows
        self._book, self._address = book, book.ctypes.data


def _new_book(rows: int) -> np.ndarray:
    return np.empty(_ROWS + _COLUMNS * rows, dtype=np.int64)


class _Found:
    """What a view works out when it is first read, and then keeps."""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, view: Any, _: type | None = None) -> Any:
        view._now = now = view._ledger.position(view._ply)
        view.board = now[0]
        return getattr(view, self._name)


class _View(Game):
    """A copy of the game as it stands at one ply."""

    board = _Found()
    _now = _Found()
    _ledger: Ledger
    _ply: int
