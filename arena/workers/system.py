"""Everything about worker processes that depends on the operating system."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

if sys.platform != "win32":
    import resource
if TYPE_CHECKING:
    from collections.abc import Callable

FORKS = sys.platform == "linux"
"""Whether processes can be forked safely, and their descendants be found, here."""
COMMAND = (
    "import gc, json, sys; gc.set_threshold(50_000); sys.path[:] = json.loads(sys.argv[1]); "
    "from arena.workers import system; connection = system.inherited(); "
    "from {} import main; main(connection)"
)
"""What a fresh interpreter runs: it finds modules where its parent does, and looks for no garbage meanwhile."""
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
_ENVIRONMENT = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES} | {"PYTHONHASHSEED": "0"}
"""Numeric libraries run one thread in processes that play, and hashes are the same each time."""
_SET_PARENT_DEATH_SIGNAL, _SET_DUMPABLE, _DROP_BOUNDING_CAPABILITY, _SET_CHILD_SUBREAPER = 1, 4, 24, 36
_TRACE_OTHERS = 19
"""The capability by which a superuser's process reads and controls any other."""
_CAPABILITIES_VERSION = 0x20080522
_SENT_BY_OTHERS = {"SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"}
"""Signals that end a process on somebody's request, and not through a fault of its own."""


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def interpreter(module: str, connection: socket.socket, errors: Any = None, **environment: str) -> psutil.Popen:
    """Start ``main`` of a module in a fresh interpreter, which gets ``connection`` and no Ctrl-C.

    What it writes to standard error goes to the file ``errors``.
    """
    path = json.dumps([entry or str(Path.cwd()) for entry in sys.path])
    command = [sys.executable, "-P", "-c", COMMAND.format(module), path, str(os.getpid())]
    options: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "stderr": errors or subprocess.DEVNULL,
        "env": {**os.environ, **_ENVIRONMENT, **environment},
    }
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        process = psutil.Popen(command, stdin=subprocess.PIPE, creationflags=flags, **options)
        with suppress(OSError), process.stdin:  # it may have died at once
            process.stdin.write(connection.share(process.pid))
        return process
    descriptor = connection.fileno()
    options |= {"stdin": subprocess.DEVNULL, "pass_fds": [descriptor], "start_new_session": True}
    return psutil.Popen([*command, str(descriptor)], **options)


def inherited() -> socket.socket:
    """The connection that this interpreter was started with; from now on the process ends with its parent."""
    end_with_parent()
    if sys.platform == "linux" and os.getppid() != int(sys.argv[2]):
        os._exit(1)  # the parent has ended already
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    connection = socket.socket(fileno=int(sys.argv[-1]))
    connection.set_inheritable(False)
    return connection


def fork(work: Callable[[socket.socket], object], connection: socket.socket) -> int:
    """Fork a process that calls ``work`` with the connection, its only descriptor, and return its id.

    The standard streams of the process lead nowhere.
    """
    process = os.fork()
    if process:
        return process
    try:
        null, kept = os.open(os.devnull, os.O_RDWR), connection.fileno()
        for stream in range(3):
            os.dup2(null, stream)
        os.closerange(3, kept)
        os.closerange(kept + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        work(connection)
    finally:
        os._exit(1)


def start_supervisor() -> None:
    """Make this process a supervisor: it adopts descendants that lose their parent, and refuses inspection."""
    _lead_session()
    refuse_inspection()
    _control(_SET_CHILD_SUBREAPER, 1)


def start_player() -> None:
    """Make this process one for players: it ends with its parent, and can inspect none that refuses it."""
    _lead_session()
    end_with_parent()
    _control(_SET_DUMPABLE, 1)
    if sys.platform == "linux" and os.geteuid() == 0:
        _control(_DROP_BOUNDING_CAPABILITY, _TRACE_OTHERS)
        header, sets = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
        ctypes.CDLL(None).capget(header, sets)
        for which in range(3):  # effective, permitted, inheritable
            sets[which] &= ~(1 << _TRACE_OTHERS)
        ctypes.CDLL(None).capset(header, sets)


def _lead_session() -> None:
    """Ignore Ctrl-C, which is for the arena, and lead a session, so that signals to the group stay here."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        with suppress(OSError):  # it leads a session already
            os.setsid()


def refuse_inspection() -> None:
    """On Linux, keep other processes of the same user from reading this one's memory and descriptors."""
    _control(_SET_DUMPABLE, 0)


def end_with_parent(signal_number: int = 9) -> None:
    """On Linux, have this process get a signal when its parent ends; 0: none, any more."""
    _control(_SET_PARENT_DEATH_SIGNAL, signal_number)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children() -> list[psutil.Process]:
    """The children of this process, which runs one thread, adopted ones included; elsewhere than on Linux all
    descendants that are known."""
    if sys.platform != "linux":
        return psutil.Process().children(recursive=True)
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [psutil.Process(int(each)) for each in found.split()]


def end_descendants() -> None:
    """Kill all descendants of this process, which is a supervisor, and wait until they are gone."""
    while found := children():
        kill(found)
        psutil.wait_procs(found)


def kill(processes: list[psutil.Process]) -> None:
    """Kill those of the processes that have not ended."""
    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def kill_tree(process: psutil.Process) -> None:
    """Kill a process and those that it has started, as far as they are known, and wait for it."""
    with suppress(psutil.Error):
        kill(process.children(recursive=True))
    kill([process])
    process.wait()


def kill_marked(variable: str, value: str) -> None:
    """Kill all processes that were started with an environment variable of that value."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(variable) == value:
                process.kill()


def memory(process: psutil.Process) -> int:
    """Bytes of memory of a process and its children, with their share of what they have in common with others."""
    total = 0
    with suppress(psutil.Error):
        for each in (process, *process.children(recursive=True)):
            info = each.memory_full_info()
            total += getattr(info, "pss", info.uss)
    return total


def takes_more(process: psutil.Process, limit: int) -> bool:
    """Whether the :func:`memory` of a process is more than ``limit`` bytes; quick if they all have less resident."""
    with suppress(psutil.Error):
        tree = (process, *process.children(recursive=True))
        return sum(each.memory_info().rss for each in tree) > limit and memory(process) > limit
    return False


def peak() -> float:
    """Bytes of memory that this process has had at most; infinite if that is unknown."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if sys.platform == "linux" else inf


def ended(code: int | None) -> str:
    """How a process ended, from its return code: ``exit code 3``, ``signal 11 (SIGSEGV)``."""
    if code is None:
        return "an unknown exit code"
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({_signal_name(-code)})"


def ended_by_others(code: int | None) -> bool:
    """Whether a process was ended by a signal that others send: a user, the system short of memory."""
    return code is not None and code < 0 and _signal_name(-code) in _SENT_BY_OTHERS


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"
