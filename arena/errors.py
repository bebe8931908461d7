"""Every error that Checkers Arena raises on purpose.

::

    ArenaError                    exit code 1: what was asked for is right, but could not be done
    ├── UsageError                exit code 2: what was asked for is wrong
    │   ├── UnknownName           no player, evaluator, ... of that name (names the nearest)
    │   └── BadOption             no such option, or a value that does not fit it
    ├── IllegalMove (ValueError)  a move that the board does not allow, or a text that names none or several
    ├── BadFEN (ValueError)       a text that is not a position
    ├── PDNError                  a file of games, or a game in it, that cannot be read
    ├── PluginError               a plugin that cannot be loaded, or whose name clashes
    ├── ModelError                a weights file that is missing, damaged or of another kind
    ├── LearnerError             a learner whose own code raised an exception
    ├── StoreError                a database that cannot be used
    ├── TablebaseError            endgame tables that are missing, damaged or cannot be written
    └── TournamentStopped         a tournament that ended before its last game for a reason of its own

The message of each is one line that says what is wrong and what would be right. A long message loses its middle.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_MESSAGE = 2000
_LONGEST_VALUE = 80
_LONGEST_NAME = 100
"""Characters of a misspelled name that are compared with the known names."""


def shown(value: object) -> str:
    """A value as a message shows it: what ``repr`` makes of it, without its middle if it is long."""
    if isinstance(value, str):
        value = _cut(value, _LONGEST_VALUE)  # the repr of megabytes takes long
    try:
        return _cut(repr(value), _LONGEST_VALUE)
    except Exception:  # an integer of thousands of digits cannot be written
        return f"a value of type {type(value).__name__} that cannot be written"


def message_of(error: BaseException) -> str:
    """The message of an error, without line breaks."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    try:
        return _one_line(str(error)) or type(error).__name__
    except Exception:
        return "it says nothing that can be written"


def nearest(name: str, names: Sequence[str]) -> str:
    """A hint for a name that is not one of ``names``: the nearest of them, or all."""
    if near := get_close_matches(name[:_LONGEST_NAME].lower(), names, n=1):
        return f"did you mean {near[0]!r}?"
    return f"there are {', '.join(names)}" if names else "there are none"


def bounded(kind: type[int] | type[float], low: float | None, high: float | None, above: float | None = None) -> str:
    """A number between bounds, in words: ``a whole number from 1 to 6``; ``above`` is a bound that is not included."""
    noun = "a whole number" if kind is int else "a number"
    if above is not None:
        return f"{noun}, more than {above}"
    if low is None and high is None:
        return noun
    if high is None:
        return f"{noun}, {low} or more"
    return f"{noun}, {high} or less" if low is None else f"{noun} from {low} to {high}"


def _one_line(text: str) -> str:
    return " ".join(_cut(text, _LONGEST_MESSAGE).split())


def _cut(text: str, length: int) -> str:
    half = (length - 3) // 2
    return text if len(text) <= length else f"{text[:half]}...{text[-half:]}"


class ArenaError(Exception):
    """The root of the tree; ``exit_code`` is what the command line returns for it."""

    exit_code: ClassVar[int] = 1
    details: str = ""
    """What the command line prints before the message: the traceback of a plugin's own code."""

    def __str__(self) -> str:
        return _one_line(super().__str__())


class UsageError(ArenaError):
    """What was asked for is wrong."""

    exit_code = 2


class UnknownName(UsageError):
    """Nothing is registered under that name."""


class BadOption(UsageError):
    """An option that does not exist, or a value that does not fit it."""


class IllegalMove(ArenaError, ValueError):
    """A move that the board does not allow, or a text that names no move or more than one."""


class BadFEN(ArenaError, ValueError):
    """A text that is not a position of English draughts."""


class PDNError(ArenaError):
    """A file of games that cannot be read, or a game in it that is not one of English checkers."""

    def __init__(self, file: str, problem: str, number: int = 0, line: int = 0) -> None:
        """``number`` of the game and ``line`` count from 1; 0 where it is not about one game or line."""
        place = f"{file}: game {number}, line {line}" if number else file
        super().__init__(f"{place}: {problem}")
        self.file = file
        self.problem = problem
        self.number = number
        self.line = line


class PluginError(ArenaError):
    """A plugin that cannot be loaded, or two plugins that claim one name."""

    exit_code = 2


class ModelError(ArenaError):
    """A weights file that is missing, damaged or of another kind."""


class LearnerError(ArenaError):
    """A learner whose own code raised an exception."""


class StoreError(ArenaError):
    """A database that cannot be opened, read or written."""


class TablebaseError(ArenaError):
    """Endgame tables that are missing, damaged, or cannot be written."""


class TournamentStopped(ArenaError):
    """A tournament that ended before its last game for a reason of its own."""
