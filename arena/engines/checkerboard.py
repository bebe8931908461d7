"""A shared library with the functions of CheckerBoard as an engine.

The interface is that of ``cb_api_reference.htm`` and ``source/cb_interface.h`` in github.com/eygilbert/CheckerBoard.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.checkers.move import Side
from arena.engines.protocol import position_text
from arena.errors import UsageError, message_of, shown
from arena.plugins import warmup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.checkers.board import Board
    from arena.checkers.game import Game, Limits

_WHITE, _BLACK, _MAN, _KING = 1, 2, 4, 8
_LETTERS = {0: "e", _BLACK | _MAN: "b", _WHITE | _MAN: "w", _BLACK | _KING: "B", _WHITE | _KING: "W"}
"""Piece -> its letter in a position text."""
_COLOURS = {Side.BLACK: _BLACK, Side.WHITE: _WHITE}
_RESET, _EXACT, _UNIT_SHIFT = 1, 2, 2
"""Bits of ``info``: the game history starts anew; the time is exact; the unit of the increment."""
_COARSEST = 3, 0.1
_UNITS = (1, 0.001), (2, 0.01), _COARSEST
"""Codes of the units of ``moreinfo``, and their seconds."""
_LARGEST = 0xFFFF
"""Largest number of units in each half of ``moreinfo``."""
_ENGLISH = "21"
"""Reply to ``get gametype`` of engines for English checkers."""
_UNKNOWN = "?"
"""Reply to a command that an engine does not know."""
_COMMAND_SIZE, _TEXT_SIZE = 256, 1024
"""Sizes of the buffers for a command, and for a reply or a status line."""
_OPTIONS = ("allscores", "book", "bookfile", "dbmbytes", "dbpath", "enable_mtc", "enable_wld", "hashsize")
_MORE_OPTIONS = ("max_dbpieces", "mtcpath", "searchthreads", "solve")
MOVE_TIME = "move-time"
"""Name of the parameter for the seconds of a move in a game without limits of time."""
_Squares = ctypes.c_int * 8 * 8


class _Coordinates(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_int))


class _Move(ctypes.Structure):
    """CheckerBoard's ``CBmove``. Engines for English checkers do not fill it."""

    _fields_ = (
        ("jumps", ctypes.c_int),
        ("newpiece", ctypes.c_int),
        ("oldpiece", ctypes.c_int),
        ("from_", _Coordinates),
        ("to", _Coordinates),
        ("path", _Coordinates * 12),
        ("del_", _Coordinates * 12),
        ("delpiece", ctypes.c_int * 12),
    )


class Library:
    """A library with ``getmove`` and ``enginecommand`` as an engine. It knows limits of time, but no others."""

    def __init__(self, path: str) -> None:
        """Load the library. Raises UsageError if it cannot be loaded or is not an engine for English checkers."""
        file = Path(path).absolute()
        load: Any = getattr(ctypes, "WinDLL", ctypes.CDLL)  # the functions are __stdcall on Windows
        try:
            library = load(str(file))
            self._getmove, self._enginecommand = library.getmove, library.enginecommand
        except OSError as error:
            raise UsageError(f"the library {shown(path)} cannot be loaded: {message_of(error)}") from None
        except AttributeError as error:
            raise UsageError(f"{shown(path)} is not an engine for CheckerBoard: {message_of(error)}") from None
        self._getmove.argtypes = [
            *(_Squares, ctypes.c_int, ctypes.c_double, ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)),
            *(ctypes.c_int, ctypes.c_int, ctypes.POINTER(_Move)),
        ]
        self._file, self._is_new_game, self._move_time = file, True, 1.0
        game_type = self.command("get gametype")
        if game_type not in (None, _ENGLISH):
            raise UsageError(f"{shown(path)} plays the game type {game_type}, not English checkers ({_ENGLISH})")

    @property
    def identity(self) -> tuple[str, str]:
        """The name that the library gives, and the name of its file."""
        return self.command("name") or self._file.stem, self._file.name

    @property
    def params(self) -> Mapping[str, str]:
        """The options of CheckerBoard that the library knows, and ``move-time``."""
        values = {name: self.command(f"get {name}") for name in (*_OPTIONS, *_MORE_OPTIONS)}
        known = {name: value for name, value in values.items() if value is not None}
        return {MOVE_TIME: f"{self._move_time:g}", **known}

    def initialise(self, params: Mapping[str, str]) -> None:
        """Load the compiled rules, and set the options whose values the library does not have yet.

        Raises ValueError for a value that the library refuses.
        """
        warmup.compile_unit(warmup.GAME)
        self._move_time = float(params[MOVE_TIME])
        for name, value in params.items():
            if name == MOVE_TIME or value == self.command(f"get {name}"):
                continue
            if self.command(f"set {name} {value}") is None:
                raise ValueError(f"the library refuses {name}={value}")

    def new_game(self, seed: int) -> None:  # noqa: ARG002  (the interface has no seed)
        """Let the next move begin a game."""
        self._is_new_game = True

    def choose(self, game: Game) -> object:
        """Return the move, or the text of the position that the library has left if no legal move leads to it."""
        self.command(history(game))
        squares = squares_of(game.board)
        info, more = time_of(game.limits)
        info |= _RESET * self._is_new_game
        self._is_new_game = False
        status, stop = ctypes.create_string_buffer(_TEXT_SIZE), ctypes.c_int(0)
        usual, most = seconds_of(game.limits, self._move_time)
        timer = threading.Timer(most, setattr, (stop, "value", 1))
        timer.start()
        colour = _COLOURS[game.side]
        self._getmove(squares, colour, usual, status, ctypes.byref(stop), info, more, ctypes.byref(_Move()))
        timer.cancel()
        print(status.value.decode("utf-8", "replace"), file=sys.stderr, flush=True)
        left = pieces_on(squares)
        for move in game.board.legal_moves:
            if pieces_on(squares_of(game.board.after(move))) == left:
                return move
        return f"{position_text(game.board)}->{''.join(_LETTERS.get(piece, '?') for piece in left)}"

    def command(self, text: str) -> str | None:
        """Send a command and return the reply; None if the library does not know the command."""
        reply = ctypes.create_string_buffer(_TEXT_SIZE)
        done = self._enginecommand(ctypes.create_string_buffer(text.encode(), max(_COMMAND_SIZE, len(text) + 1)), reply)
        answer = reply.value.decode("utf-8", "replace").strip()
        return answer if done and answer != _UNKNOWN else None


def squares_of(board: Board) -> ctypes.Array[ctypes.Array[ctypes.c_int]]:
    """Return the pieces of a board as CheckerBoard's ``b[8][8]``."""
    squares = _Squares()
    for square in range(32):
        bit, (x, y) = 1 << square, _place(square)
        colour = _BLACK if board.black & bit else _WHITE if board.white & bit else 0
        if colour:
            squares[x][y] = colour | (_KING if board.kings & bit else _MAN)
    return squares


def pieces_on(squares: ctypes.Array[ctypes.Array[ctypes.c_int]]) -> list[int]:
    """Return the pieces on the squares 1 to 32, without other bits."""
    return [squares[x][y] & (_WHITE | _BLACK | _MAN | _KING) for x, y in map(_place, range(32))]


def _place(square: int) -> tuple[int, int]:
    """Return x and y of a square, which counts from 0: ``numbertocoors`` of ``cb_interface.h``."""
    y = square // 4
    return 2 * (3 - square % 4) + y % 2, y


def history(game: Game) -> str:
    """Return the command with the position after the last capture or man's move, and the moves since then.

    The command holds as many of the last moves as fit.
    """
    boards, moves = game.boards, [str(move) for move in game.moves]
    for start in range(game.ply - game.quiet_plies, game.ply + 1):
        text = " ".join(["set gamehist", boards[start].fen, *moves[start:]])
        if len(text) < _COMMAND_SIZE:
            return text
    return f"set gamehist {game.board.fen}"


def seconds_of(limits: Limits, move_time: float) -> tuple[float, float]:
    """Return the seconds that the library should take for a move, and those after which it is told to move at once.

    ``move_time``: both of them, in a game without limits of time.
    """
    if limits.clock is None:
        seconds = move_time if limits.seconds is None else limits.seconds
        return seconds, seconds
    usual = min(limits.clock / 30 + 0.8 * limits.increment, 0.5 * limits.clock)
    return usual, min(4 * usual, 0.8 * limits.clock)


def time_of(limits: Limits) -> tuple[int, int]:
    """Return ``info`` and ``moreinfo`` for the limits of time.

    ``moreinfo`` has the remaining time in its upper and the increment in its lower 16 bits, in the smallest unit in
    which both fit.
    """
    if limits.clock is None:
        return (_EXACT if limits.seconds is not None else 0), 0
    longest = max(limits.clock, limits.increment)
    code, unit = next(((code, unit) for code, unit in _UNITS if longest <= _LARGEST * unit), _COARSEST)
    remaining, increment = int(limits.clock / unit), int(limits.increment / unit)
    return code << _UNIT_SHIFT, min(remaining, _LARGEST) << 16 | min(increment, _LARGEST)
