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
    ├── StoreError                a database that cannot be used
    ├── TablebaseError            endgame tables that are missing, damaged or cannot be written
    └── TournamentStopped         a tournament that ended before its last game for a reason of its own

The message of each is one line that says what is wrong and what would be right.
"""

from __future__ import annotations

from typing import ClassVar


class ArenaError(Exception):
    """The root of the tree; ``exit_code`` is what the command line returns for it."""

    exit_code: ClassVar[int] = 1


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


class StoreError(ArenaError):
    """A database that cannot be opened, read or written."""


class TablebaseError(ArenaError):
    """Endgame tables that are missing, damaged, or cannot be written."""


class TournamentStopped(ArenaError):
    """A tournament that ended before its last game for a reason of its own."""
