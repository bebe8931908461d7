"""The parts of worker processes that depend on the operating system."""

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
"""Whether this system can fork processes safely and find all their descendants."""
COMMAND = (
    "import gc, json, sys; gc.set_threshold(50_000); sys.path[:] = json.loads(sys.argv[1]); "
    "from arena.workers import system; connection = system.inherited(); "
    "from {} import main; main(connection)"
)
"""Program of a new interpreter. It has the module path of its parent, and collects garbage rarely to start faster."""
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
_ENVIRONMENT = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES} | {"PYTHONHASHSEED": "0"}
"""Environment of worker processes: numeric libraries run one thread, and hashes are the same in each process."""
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER = 1, 4, 24, 36
_CAP_SYS_PTRACE = 19
"""Capability of a superuser's process to read and control any other process."""
_CAPABILITIES_VERSION = 0x20080522
_SENT_FROM_OUTSIDE = {"SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"}
"""Signals by which a user or the system ends a process. All other signals that end it are its own fault."""


def interpreter(module: str, connection: socket.socket, errors: Any = None, **environment: str) -> psutil.Popen:
    """Start a new interpreter that calls ``main`` of a module with ``connection``.

    Ctrl-C does not reach it. Its standard error goes to the file ``errors``.
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
        with suppress(OSError), process.stdin:  # the process may have died already
            process.stdin.write(connection.share(process.pid))
        return process
    descriptor = connection.fileno()
    options |= {"stdin": subprocess.DEVNULL, "pass_fds": [descriptor], "start_new_session": True}
    return psutil.Popen([*command, str(descriptor)], **options)


def inherited() -> socket.socket:
    """Return the connection that :func:`interpreter` gave to this process, and let the process end with its parent."""
    end_with_parent()
    if sys.platform == "linux" and os.getppid() != int(sys.argv[2]):
        os._exit(1)  # the parent has ended already
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    connection = socket.socket(fileno=int(sys.argv[-1]))
    connection.set_inheritable(False)
    return connection


def fork(work: Callable[[socket.socket], object], connection: socket.socket) -> int:
    """Fork a process that calls ``work`` with the connection, and return its id.

    The process has no other descriptor except its standard streams, which are the null device.
    """
    process_id = os.fork()
    if process_id:
        return process_id
    try:
        null, descriptor = os.open(os.devnull, os.O_RDWR), connection.fileno()
        for stream in range(3):
            os.dup2(null, stream)
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        work(connection)
    finally:
        os._exit(1)


def start_supervisor() -> None:
    """Make this process a supervisor, which becomes the parent of orphaned descendants and refuses inspection."""
    _lead_session()
    refuse_inspection()
    _control(_PR_SET_CHILD_SUBREAPER, 1)


def start_player() -> None:
    """Make this process a player process, which ends with its parent and cannot inspect supervisors."""
    _lead_session()
    end_with_parent()
    _control(_PR_SET_DUMPABLE, 1)
    if sys.platform == "linux" and os.geteuid() == 0:
        _control(_PR_CAPBSET_DROP, _CAP_SYS_PTRACE)
        header, sets = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
        ctypes.CDLL(None).capget(header, sets)
        for kind in range(3):  # effective, permitted, inheritable
            sets[kind] &= ~(1 << _CAP_SYS_PTRACE)
        ctypes.CDLL(None).capset(header, sets)


def _lead_session() -> None:
    """Ignore Ctrl-C, which only the arena handles, and start a session, so that signals to the group stay in it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        with suppress(OSError):  # this process leads a session already
            os.setsid()


def refuse_inspection() -> None:
    """On Linux, keep other processes of the same user from reading this one's memory and descriptors."""
    _control(_PR_SET_DUMPABLE, 0)


def end_with_parent(signal_number: int = 9) -> None:
    """On Linux, let this process receive a signal when its parent ends; 0 cancels this."""
    _control(_PR_SET_PDEATHSIG, signal_number)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children() -> list[psutil.Process]:
    """Return the children of this process, which must have one thread. Adopted orphans are children, too.

    On systems other than Linux, return all known descendants.
    """
    if sys.platform != "linux":
        return psutil.Process().children(recursive=True)
    ids = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return [psutil.Process(int(process_id)) for process_id in ids.split()]


def end_descendants() -> None:
    """Kill all descendants of this process, which must be a supervisor, and wait until they have ended."""
    while processes := children():
        kill(processes)
        psutil.wait_procs(processes)


def kill(processes: list[psutil.Process]) -> None:
    """Kill the processes that have not ended."""
    for process in processes:
        with suppress(psutil.Error):
            process.kill()


def kill_tree(process: psutil.Process) -> None:
    """Kill a process and its known descendants, and wait until the process has ended."""
    with suppress(psutil.Error):
        kill(process.children(recursive=True))
    kill([process])
    process.wait()


def kill_marked(variable: str, value: str) -> None:
    """Kill all processes that were started with this value of an environment variable, except this process."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(variable) == value:
                process.kill()


def memory(process: psutil.Process) -> int:
    """Return the memory of a process and its descendants in bytes. Each user of shared memory has a share."""
    total = 0
    with suppress(psutil.Error):
        for member in (process, *process.children(recursive=True)):
            info = member.memory_full_info()
            total += getattr(info, "pss", info.uss)
    return total


def takes_more(process: psutil.Process, limit: int) -> bool:
    """Whether the :func:`memory` of a process exceeds ``limit`` bytes. It is fast if the resident memory does not."""
    with suppress(psutil.Error):
        tree = (process, *process.children(recursive=True))
        return sum(member.memory_info().rss for member in tree) > limit and memory(process) > limit
    return False


def peak() -> float:
    """Return the maximum memory of this process so far in bytes; infinite if the system does not report it."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss if sys.platform == "linux" else inf


def exit_text(code: int | None) -> str:
    """Return a description of the return code of a process: ``exit code 3``, ``signal 11 (SIGSEGV)``."""
    if code is None:
        return "an unknown exit code"
    return f"exit code {code}" if code >= 0 else f"signal {-code} ({_signal_name(-code)})"


def killed_from_outside(code: int | None) -> bool:
    """Whether a process with this return code was ended by a user, or by the system because of low memory."""
    return code is not None and code < 0 and _signal_name(-code) in _SENT_FROM_OUTSIDE


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"
