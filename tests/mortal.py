"""Work that is killed at a moment of choice, in a fork of this process; for a process without threads."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, event

if TYPE_CHECKING:
    from collections.abc import Callable

_phases = ["start"]
_last = ["", 0, 0.0]
"""The phase in which to die, how many moments of it from now, and how many seconds later."""


def moment(*_: object) -> None:
    """Something has been done, or is about to be: time to die, perhaps."""
    phase, left, seconds = _last
    if _phases[-1] != phase:
        return
    _last[1] = left = int(left) - 1
    if left == 0:
        if not seconds:
            os.kill(os.getpid(), signal.SIGKILL)
        signal.setitimer(signal.ITIMER_REAL, float(seconds))  # its signal ends the process wherever it is


def during(phase: str, code: Callable[..., Any]) -> Callable[..., Any]:
    """The same code, a phase of its own."""

    def wrapped(*args: Any, **named: Any) -> Any:
        _phases.append(phase)
        try:
            return code(*args, **named)
        finally:
            _phases.pop()

    return wrapped


def live(work: Callable[[], object], phase: str, moments: int, seconds: float = 0.0) -> bool:
    """Whether the work was done before it was killed, so many moments into a phase and so many seconds later.

    Moments are before and after every SQL statement, at the beginning and the end of every transaction, and where
    :func:`moment` is called.
    """
    child = os.fork()
    if child == 0:
        _last[:] = phase, moments, seconds
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status):
        assert os.WEXITSTATUS(status) == 0
    return os.WIFEXITED(status)


for name in ("before_cursor_execute", "after_cursor_execute", "begin", "commit"):
    event.listen(Engine, name, moment)
