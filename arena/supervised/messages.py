"""Messages between this process, a supervisor and its workers."""

from __future__ import annotations

from typing import Any

import msgspec

from arena.checkers.game import Termination


class Work(msgspec.Struct):
    """To the supervisor, and from it to a worker: run this generator function."""

    function: str
    """Module and name, separated by a colon."""
    arguments: list[Any]
    timeout: float
    """Seconds for each value and for the end."""
    memory: int
    """Limit in bytes."""


class Reply(msgspec.Struct):
    """From a worker to the supervisor, and from there on: a value, or the end of the function."""

    value: Any = None
    done: bool = False
    """Whether the function has ended. There is no value then."""
    error: tuple[str, str] | None = None
    """Class and message of the ArenaError that the function raised."""
    fault: tuple[Termination, str] | None = None
    """Termination and reason, if the function failed in another way."""
