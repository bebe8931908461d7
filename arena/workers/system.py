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
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import psutil

if sys.platform != "win32":
    import resource
if TYPE_CHECKING:
    from collections.abc import Callable

FORKS = sys.platform == "linux"
"""Whether this system can fork processes safely and find all their descendants."""
COMMAND = (
    "import gc, json, sys; gc.set_threshold(50_000); sys.path[:] = json.loads(sys.argv[1]); "
    "from arena.workers import system; connection = system.inherited(); from {} import main; main(connection)"
)
"""Program of a new interpreter. It has the module path of its parent, and collects garbage rarely to start faster."""
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
_ENVIRONMENT = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES} | {"PYTHONHASHSEED": "0"}
"""Environment of worker processes: numeric libraries run one thread, and hashes are the same in each process."""
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_CHILD_SUBREAPER = 1, 4, 24, 36
_CAP_SYS_PTRACE = 19
"""Capability of a superuser's process to read and control any other process."""
_CAPABILITIES_VERSION = 0x20080522
_SIGNALS = {int(number): number.name for number in signal.Signals}
_SENT_FROM_OUTSIDE = {"SIGHUP", "SIGINT", "SIGKILL", "SIGTERM"}
"""Signals by which a user or the system ends a process. All other signals that end it are its own fault."""


def interpreter(module: str, connection: socket.socket, errors: Any = None, **environment: str) -> psutil.Popen:
    """Start a new interpreter that calls ``main`` of a module with ``connection``.

    Ctrl-C does not reach it. Its standard error goes to the file ``errors``.
    """
    path = json.dumps([entry or str(Path.cwd()) for entry in sys.path])
    command = [sys.executable, "-P", "-c", COMMAND.format(module), path]
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # only the arena handles Ctrl-C
    end_with_parent()
    if sys.platform == "win32":
        return socket.fromshare(sys.stdin.buffer.read())
    connection = socket.socket(fileno=int(sys.argv[-1]))
    connection.set_inheritable(False)
    return connection


def end_with_parent() -> None:
    """Let the system kill this process when its parent ends."""
    _control(_PR_SET_PDEATHSIG, signal.SIGKILL)


def can_fork() -> bool:
    """Whether this process can be forked, because it has one thread and the system can fork processes safely."""
    return FORKS and len(list(Path("/proc/self/task").iterdir())) == 1


def fork(main: Callable[[socket.socket], object], connection: socket.socket) -> psutil.Process:
    """Fork a process that calls ``main`` with ``connection``.

    The process leads a session, so that signals to its group stay in it. It has no other descriptor except its standard
    streams, which are the null device.
    """
    if process_id := os.fork():
        return psutil.Process(process_id)
    try:
        os.setsid()
        null, descriptor = os.open(os.devnull, os.O_RDWR), connection.fileno()
        for stream in range(3):
            os.dup2(null, stream)
        os.closerange(3, descriptor)
        os.closerange(descriptor + 1, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        main(connection)
    finally:
        os._exit(1)


def start_supervisor() -> None:
    """Make this process a supervisor: it becomes the parent of orphaned descendants and refuses inspection.

    It does not end with its parent, because it has to end its descendants first.
    """
    refuse_inspection()
    _control(_PR_SET_CHILD_SUBREAPER, 1)
    _control(_PR_SET_PDEATHSIG, 0)


def start_player() -> None:
    """Make this process a player process, which ends with its parent and cannot inspect supervisors."""
    end_with_parent()
    _control(_PR_SET_DUMPABLE, 1)
    if sys.platform == "linux" and os.geteuid() == 0:
        _control(_PR_CAPBSET_DROP, _CAP_SYS_PTRACE)
        header, sets = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0), (ctypes.c_uint32 * 6)()
        ctypes.CDLL(None).capget(header, sets)
        for kind in range(3):  # effective, permitted, inheritable
            sets[kind] &= ~(1 << _CAP_SYS_PTRACE)
        ctypes.CDLL(None).capset(header, sets)


def refuse_inspection() -> None:
    """On Linux, keep other processes of the same user from reading this one's memory and descriptors."""
    _control(_PR_SET_DUMPABLE, 0)


def _control(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children(process: psutil.Process | None = None) -> list[psutil.Process]:
    """Return the children of a process, by default of this process. Orphans that it has adopted are children, too.

    On systems other than Linux, return all known descendants.
    """
    process = process or psutil.Process()
    if sys.platform != "linux":
        return process.children(recursive=True)
    files = Path(f"/proc/{process.pid}/task").glob("*/children")  # faster than psutil, which reads all processes
    return [psutil.Process(int(child)) for file in files for child in file.read_text().split()]


def tree(process: psutil.Process) -> set[psutil.Process]:
    """Return a process and its known descendants."""
    with suppress(psutil.Error, OSError):  # the process has ended
        return {process}.union(*map(tree, children(process)))
    return {process}


def kill_tree(process: psutil.Process) -> None:
    """Kill a process and its known descendants, and wait until the process has ended."""
    for each in tree(process):
        with suppress(psutil.Error):
            each.kill()
    process.wait()


def end_descendants() -> None:
    """Kill all descendants of this process, which must be a supervisor, and wait until they have ended."""
    while processes := children():
        for each in processes:
            with suppress(psutil.Error):
                each.kill()
        psutil.wait_procs(processes)


def end_supervisor() -> NoReturn:
    """Kill all descendants of this process, which must be a supervisor, and end it without exit handlers of plugins."""
    end_descendants()
    os._exit(0)


def kill_marked(variable: str, value: str) -> None:
    """Kill all processes that were started with this value of an environment variable, except this process."""
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            if process.pid != os.getpid() and process.environ().get(variable) == value:
                process.kill()


def exit_text(code: int | None) -> str:
    """Return a description of the return code of a process: ``exit code 3``, ``signal 11 (SIGSEGV)``."""
    if code is None:
        return "an unknown exit code"
    return f"exit code {code:d}" if code >= 0 else f"signal {-code} ({_SIGNALS.get(-code, 'unnamed')})"


def killed_from_outside(code: int | None) -> bool:
    """Whether a process with this return code was ended by a user, or by the system because of low memory."""
    return code is not None and _SIGNALS.get(-code) in _SENT_FROM_OUTSIDE
