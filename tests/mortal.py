"""Running work in a forked process that is killed at a chosen moment. The parent must not have threads.

Moments are the start and end of each SQL statement and transaction, and each call of :func:`moment`. Moments are
counted separately in each phase. The phase is ``start`` unless :func:`during` sets another.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, event

if TYPE_CHECKING:
    from collections.abc import Callable

_phases = ["start"]
_end = ["", 0, 0.0]
"""When this process is killed: the phase, the number of moments left in it, and the seconds after the last moment."""


def moment(*_: object) -> None:
    """Count a moment, and kill this process if it is the chosen one."""
    phase, moments, seconds = _end
    if _phases[-1] != phase:
        return
    _end[1] = moments = int(moments) - 1
    if moments == 0:
        if not seconds:
            os.kill(os.getpid(), signal.SIGKILL)
        signal.setitimer(signal.ITIMER_REAL, float(seconds))  # SIGALRM then kills the process


def during(phase: str, code: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs ``code`` in the given phase."""

    def wrapped(*args: Any, **named: Any) -> Any:
        _phases.append(phase)
        try:
            return code(*args, **named)
        finally:
            _phases.pop()

    return wrapped


def live(work: Callable[[], object], phase: str, moments: int, seconds: float = 0.0) -> bool:
    """Run the work in a forked process, and kill it ``seconds`` after moment number ``moments`` of a phase.

    Returns whether the work ended before that.
    """
    child = os.fork()
    if child == 0:
        _end[:] = phase, moments, seconds
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
