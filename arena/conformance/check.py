"""A check, its settings and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from arena.workers import MEMORY, MOVE_TIMEOUT

if TYPE_CHECKING:
    from collections.abc import Callable

    Function = Callable[[Any], str | None]

Status = Literal["ok", "failed", "skipped"]


class Failed(AssertionError):
    """A component violates its contract. The message tells what is wrong, and what would be right."""


class Skipped(Exception):
    """A check does not apply; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How thorough the checks are."""

    positions: int = 2000
    """Number of positions in which a player chooses, and that an evaluator evaluates."""
    seconds: float = 20.0
    """Seconds after which a check looks at no further positions or moves."""
    games: int = 10
    """Number of games from which a learner learns at a time, rounded up to a multiple of its step."""
    move_timeout: float = MOVE_TIMEOUT
    """Seconds that a move may take."""
    memory: int = MEMORY
    """MB of memory that a player may use."""
    seed: int = 1
    """Seed of all random numbers."""


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Check:
    """A check of components of one kind."""

    kind: str
    """``player``, ``evaluator`` or ``learner``."""
    name: str
    title: str
    """What holds if the check passes."""
    function: Function
    """Called with a :class:`~arena.conformance.suite.Subject`. Returns a remark, or raises Failed or Skipped."""
    requires: tuple[str, ...] = ()
    """Names of the checks without which this one says nothing."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a check."""

    check: Check
    status: Status
    text: str
    """A remark, what is wrong, or the reason for skipping the check."""


CHECKS: list[Check] = []
"""All checks, in the order in which they run."""


def check(kind: str, title: str, *requires: str) -> Callable[[Function], Function]:
    """Return a decorator that makes a function a check of ``kind``; see :class:`Check`."""

    def decorate(function: Function) -> Function:
        CHECKS.append(Check(kind, function.__name__, title, function, requires))
        return function

    return decorate
