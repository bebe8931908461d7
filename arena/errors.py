"""The errors of Checkers Arena.

::

    ArenaError                    exit code 1: the request is valid, but it failed
    ├── UsageError                exit code 2: the request is not valid
    │   ├── UnknownName           no player, evaluator, ... has this name (the message suggests the nearest)
    │   ├── NameTaken             two files, or a file and an installed component, have the same name
    │   └── BadOption             the option does not exist, or its value is not valid
    ├── IllegalMove (ValueError)  the move is not legal, or a text does not name exactly one move
    ├── BadFEN (ValueError)       the text is not a position
    ├── PDNError                  a PDN file, or a game in it, cannot be read
    ├── PluginError               exit code 2: a plugin cannot be loaded, or a name is registered twice
    ├── ModelError                a weights file is missing, damaged or of another kind
    ├── LearnerError              the code of a learner raised an exception
    ├── StoreError                a database cannot be opened, read or written
    │   ├── NotOnRecord           the database holds no tournament, game, run, ... of this name
    │   └── Unreachable           the server of a database does not answer, or has closed the connection
    ├── TablebaseError            endgame tables are missing, damaged or cannot be written
    └── TournamentStopped         a tournament stopped before its last game

Every message is a single line: it tells what is wrong and what would be right. A long message loses its middle.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST_MESSAGE = 2000
_LONGEST_VALUE = 80
_LONGEST_NAME = 100
"""Maximum number of characters of a misspelled name that are compared with the known names."""


def shown(value: object) -> str:
    """Return a value for use in a message: its ``repr``, without the middle if it is long."""
    if isinstance(value, str):
        value = _cut(value, _LONGEST_VALUE)  # the repr of megabytes is slow
    try:
        return _cut(repr(value), _LONGEST_VALUE)
    except Exception:  # an integer with thousands of digits has no repr
        return f"a value of type {type(value).__name__} that cannot be printed"


def message_of(error: BaseException) -> str:
    """Return the message of an error, without line breaks."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    try:
        return _one_line(str(error)) or type(error).__name__
    except Exception:
        return "its message cannot be printed"


def nearest(name: str, names: Sequence[str]) -> str:
    """Return a hint for a name that is not one of ``names``: the nearest of them, or all."""
    if near := get_close_matches(name[:_LONGEST_NAME].lower(), names, n=1):
        return f"did you mean {near[0]!r}?"
    return f"there are {', '.join(names)}" if names else "there are none"


def bounded(kind: type[int] | type[float], low: float | None, high: float | None, above: float | None = None) -> str:
    """Describe the numbers between bounds: ``a whole number from 1 to 6``. ``above`` is an exclusive lower bound."""
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
    """Base class of all errors. ``exit_code`` is the exit code of the command line."""

    exit_code: ClassVar[int] = 1
    details: str = ""
    """Text that the command line prints before the message: the traceback of a plugin's code."""

    def __str__(self) -> str:
        return _one_line(super().__str__())


class UsageError(ArenaError):
    """The request is not valid."""

    exit_code = 2


class UnknownName(UsageError):
    """Nothing is registered under this name."""


class NameTaken(UsageError):
    """Two files with players, or a file and an installed component, have the same name."""


class BadOption(UsageError):
    """An option does not exist, or its value is not valid."""


class IllegalMove(ArenaError, ValueError):
    """A move is not legal, or a text does not name exactly one move."""


class BadFEN(ArenaError, ValueError):
    """A text is not a position of English draughts."""


class PDNError(ArenaError):
    """A PDN file cannot be read, or a game in it is not a valid game of English checkers."""

    def __init__(self, file: str, problem: str, number: int = 0, line: int = 0) -> None:
        """``number`` of the game and ``line`` count from 1. Both are 0 if the error concerns the whole file."""
        place = f"{file}: game {number}, line {line}" if number else file
        super().__init__(f"{place}: {problem}")
        self.file = file
        self.problem = problem
        self.number = number
        self.line = line


class PluginError(ArenaError):
    """A plugin cannot be loaded, or two plugins register the same name."""

    exit_code = 2


class ModelError(ArenaError):
    """A weights file is missing, damaged or of another kind."""


class LearnerError(ArenaError):
    """The code of a learner raised an exception."""


class StoreError(ArenaError):
    """A database cannot be opened, read or written."""


class NotOnRecord(StoreError):
    """A database holds no tournament, game, run, experiment or collection of this name."""


class Unreachable(StoreError):
    """The server of a database does not answer, or has closed the connection."""


class TablebaseError(ArenaError):
    """Endgame tables are missing, damaged, or cannot be written."""


class TournamentStopped(ArenaError):
    """A tournament stopped before its last game."""
