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
    from collections.abc import Iterable

FORKS = sys.platform == "linux"
"""Whether processes can be forked safely, and their descendants be found, here."""
COMMAND = (
    "import gc, json, sys; gc.set_threshold(50_000); sys.path[:] = json.loads(sys.argv[1])['path']; "
    "from {} import main; main(json.loads(sys.argv[1])['parent'])"
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


def threads() -> int:
    """How many threads this process runs."""
    return psutil.Process().num_threads()


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def interpreter(module: str, connection: socket.socket, errors: Any = None, **environment: str) -> psutil.Popen:
    """Start ``main`` of a module of this package in a fresh interpreter, which gets ``connection`` and no Ctrl-C.

    What it writes to standard error goes to the file ``errors``.
    """
    start = {"path": [entry or str(Path.cwd()) for entry in sys.path], "parent": os.getpid()}
    command = [sys.executable, "-P", "-c", COMMAND.format(module), json.dumps(start)]
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
    """The connection that this interpreter was started with."""
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    return socket.socket(fileno=int(sys.argv[-1]))


def keep_only(descriptor: int) -> None:
    """Close all other descriptors of this process; its standard streams lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    if sys.platform != "win32":
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def start_alone() -> None:
    """Ignore Ctrl-C, which is for the parent, and lead a session, so that signals to the group stay here."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        with suppress(OSError):  # it leads a session already
            os.setsid()


def die_with(parent: int | None) -> None:
    """On Linux, end this process when the process ``parent``, which started it, ends; None: no longer."""
    if sys.platform == "linux":
        _control(_SET_PARENT_DEATH_SIGNAL, 0 if parent is None else signal.SIGKILL)
        if parent is not None and os.getppid() != parent:
            os._exit(1)


def adopt_orphans() -> None:
    """On Linux, make descendants of this process its children when they lose their parent."""
    _control(_SET_CHILD_SUBREAPER, 1)


def refuse_inspection() -> None:
    """On Linux, keep other processes of the same user from reading this one's memory and descriptors."""
    _control(_SET_DUMPABLE, 0)


def allow_inspection() -> None:
    """Undo :func:`refuse_inspection` for this process, which from now on can inspect none that refuses it."""
    _control(_SET_DUMPABLE, 1)
    if sys.platform == "linux" and os.geteuid() == 0:
        _control(_DROP_BOUNDING_CAPABILITY, _TRACE_OTHERS)
        header, sets = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
        ctypes.CDLL(None).capget(header, sets)
        for which in range(3):  # effective, permitted, inheritable
            sets[which] &= ~(1 << _TRACE_OTHERS)
        ctypes.CDLL(None).capset(header, sets)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children() -> set[int]:
    """On Linux, the ids of the children of this process, adopted ones included, while it runs one thread."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def end_descendants() -> None:
    """Kill all descendants of this process, and wait until they are gone."""
    with suppress(ChildProcessError):
        while True:
            if sys.platform == "win32" or not os.waitpid(-1, os.WNOHANG)[0]:
                found = psutil.Process().children(recursive=True)
                for each in found:
                    with suppress(psutil.Error):
                        each.kill()
                psutil.wait_procs(found, timeout=0.1)
                if not found and sys.platform != "linux":
                    return


def kill_tree(process: psutil.Process) -> None:
    """Kill a process and those that it has started, as far as they are known."""
    tree = [process]
    with suppress(psutil.Error):
        tree += process.children(recursive=True)
    for each in tree:
        with suppress(psutil.Error):
            each.kill()


def wait_for(processes: Iterable[int], timeout: float) -> None:
    """Wait until the processes with those ids have ended."""
    found = []
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            found.append(psutil.Process(process))
    psutil.wait_procs(found, timeout)


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
