"""Everything about worker processes that depends on the operating system."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if sys.platform == "linux":
    import fcntl
    import resource
if TYPE_CHECKING:
    from collections.abc import Callable

FORKS = sys.platform == "linux"
"""Whether processes can be forked: whoever forks them sees all that becomes of them, and can weigh them."""
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}
"""Environment in which numeric libraries run one thread."""
PIPE = 1 << 20
"""Bytes of a pipe that was widened: what any user of Linux may have."""
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36
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


def kill_child(child: int) -> None:
    """End a child of this process that was not yet waited for, and the group that it leads or is about to lead."""
    for kill in (os.kill, os.killpg):
        with suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)


def kill_marked(variable: str, value: str) -> None:
    """On Linux, end all processes that were started with an environment variable of that value."""
    mark = f"{variable}={value}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                os.kill(int(environment.parent.name), signal.SIGKILL)


def die_with(parent: int) -> None:
    """On Linux, end this process when the process ``parent``, which started it, ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def wake_at_parents_end() -> None:
    """In the place of :func:`die_with`: go on when the parent ends, even if somebody has stopped this process."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGCONT, 0, 0, 0)


def lead_group() -> None:
    """Become the leader of a new group of processes, in a session of its own."""
    os.setsid()


def adopt_orphans() -> None:
    """On Linux, have the processes that lose their parent, of those that descend from this one, as its own children."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children(process: int) -> list[int]:
    """On Linux, the ids of the processes that a process has started, or adopted."""
    try:
        lists = [_read(f"/proc/{process}/task/{thread}/children") for thread in os.listdir(f"/proc/{process}/task")]  # noqa: PTH208
    except OSError:
        return []
    return [int(child) for each in lists for child in each.split()]


def end_children() -> None:
    """End all children of this process, and those that become its children by that."""
    with suppress(ChildProcessError):
        while True:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                for child in children(os.getpid()):
                    os.kill(child, signal.SIGKILL)
                os.waitpid(-1, 0)


def memory(process: int) -> int | None:
    """Bytes of memory that a process has, files in memory left out; None where nobody can tell."""
    try:
        status = _read(f"/proc/{process}/status")
        kilobytes = sum(int(status.partition(name)[2].split(maxsplit=1)[0]) for name in (b"RssAnon:", b"RssShmem:"))
    except (OSError, ValueError, IndexError):
        return None
    return 1024 * kilobytes


def _read(path: str) -> bytes:
    """What stands in a small file of the system; a Path would take ten times as long."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


def taken(process: int, before: int | None) -> int:
    """Bytes of :func:`memory` that have been added since there were so many; 0 where nobody can tell."""
    now = None if before is None else memory(process)
    return 0 if now is None or before is None else now - before


def took_more(before: int | None, limit: int) -> bool:
    """Whether this process has :func:`taken` more than so many bytes."""
    if before is None:
        return False
    # What it ever had in memory, files included, is told at once; to tell them apart takes a hundred times as long.
    highest = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return highest > before + limit and taken(os.getpid(), before) > limit


def threads(process: int) -> int | None:
    """How many threads a process runs; None where nobody can tell."""
    try:
        return len(list(Path(f"/proc/{process}/task").iterdir()))
    except OSError:
        return None


def widen(pipe: int) -> bool:
    """Let a pipe hold so much that its writer need not wait for a reader that rests; False where it cannot be."""
    if sys.platform != "linux":
        return False
    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)
    except OSError:
        return False
    return True


def wait_for_end(pipe: int, seconds: float) -> None:
    """Wait until nobody has a pipe open to write, but no longer than so; where pipes can be :func:`widened <widen>`."""
    waiting = select.poll()
    waiting.register(pipe, 0)
    waiting.poll(1000 * seconds)


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
