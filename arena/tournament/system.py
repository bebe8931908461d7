"""Everything about worker processes that depends on the operating system."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}
"""Environment in which numeric libraries run one thread."""
_SENT_BY_OTHERS = {"SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"}
"""Signals that end a process on somebody's request, and not through a fault of its own."""


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def apart() -> dict[str, Any]:
    """Arguments of ``subprocess.Popen`` for a process in a group of its own, which no Ctrl-C reaches."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that was started :func:`apart` and the processes that it has started, at once."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        subprocess.run(command, check=False, capture_output=True)
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):  # macOS denies it for a group of the dead
            os.killpg(process.pid, signal.SIGKILL)


def die_with(parent: int) -> None:
    """On Linux, end this process when the process ``parent``, which started it, ends."""
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def ignore_interrupts() -> None:
    """Leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def in_forks(action: Callable[[], None]) -> None:
    """Run ``action`` in every process that is forked from this one, where there is forking."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)


def ended(code: int) -> str:
    """How a process ended, from its return code: ``exit code 3``, ``signal 11 (SIGSEGV)``."""
    if code >= 0:
        return f"exit code {code}"
    return f"signal {-code} ({_signal_name(-code)})"


def ended_by_others(code: int) -> bool:
    """Whether a process was ended by a signal that others send: a user, the system short of memory."""
    return code < 0 and _signal_name(-code) in _SENT_BY_OTHERS


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"
