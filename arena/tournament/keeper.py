"""The keeper: a process that forks workers, and sees to it that nothing is left of them.

It loads plugins and kernels once; a worker that it forks has them, and plays within milliseconds. It is the parent of
all workers: it reports how each ended, kills what a worker leaves behind, in its group or out of it, and ends when the
arena is gone, as they end with it. Nobody's code but ours runs in it once the plugins are loaded, and it runs one
thread; where a plugin has started another, forking is not safe, and workers start as new interpreters.

It hears ``{"start": {"marker": file, "library": database}}`` with two file descriptors, for the worker's tasks and
messages, and ``{"kill": process}``; it says ``{"notice": text}`` where somebody will have to wait, ``{"ready": true}``,
``{"started": process}`` for each start, and ``{"ended": process, "code": code}``.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from arena import library, plugins
from arena.tournament import launch, system, worker
from arena.warmup import compile_missing, warm_up


def main() -> NoReturn:
    """Start, watch and kill workers until the arena is gone."""
    start = json.loads(sys.argv[1])
    system.die_with(start["parent"])
    system.ignore_interrupts()
    system.adopt_orphans()
    control = socket.socket(fileno=start["control"])
    plugins.load()
    compile_missing(lambda line: _send(control, {"notice": line}))
    warm_up()
    gc.freeze()  # what is there already: a worker that collected it would need a copy of its own
    system.wake_at_parents_end()  # to clear up; that it is gone will be heard
    _send(control, {"ready": True})
    _Keeper(control).run()
    os._exit(0)  # an interpreter that has loaded so much takes long to end, and may run what plugins left for its end


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    control.send(json.dumps(message).encode())


class _Keeper:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._workers: set[int] = set()
        self._alarm, self._bell = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def run(self) -> None:
        signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        with suppress(ConnectionError):
            while True:
                heard, _, _ = select.select([self._control.fileno(), self._alarm], [], [])
                with suppress(BlockingIOError):
                    os.read(self._alarm, launch.MESSAGE)
                if self._control.fileno() in heard and not self._obey():
                    break
                self._bury_the_dead()
        for process in self._workers:
            system.kill_child(process)
        with suppress(ChildProcessError):
            while True:
                self._kill_orphans()
                os.wait()

    def _obey(self) -> bool:
        """Do what the next message says; False where there can be none."""
        message, descriptors, _, _ = socket.recv_fds(self._control, launch.MESSAGE, 2, socket.MSG_CMSG_CLOEXEC)
        if not message:
            return False
        [(kind, value)] = json.loads(message).items()
        if kind == "start":
            library.use(value["library"])
            process = self._start(Path(value["marker"]), *descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            self._workers.add(process)
            _send(self._control, {"started": process})
        elif value in self._workers:
            system.kill_child(value)
        return True

    def _start(self, marker: Path, inbox: int, outbox: int) -> int:
        if system.threads(os.getpid()) != 1:
            return os.posix_spawn(
                sys.executable,
                [sys.executable, "-P", "-c", launch.WORKER, launch.worker_settings(marker)],
                {**os.environ, **library.environment()},
                file_actions=[(os.POSIX_SPAWN_DUP2, inbox, 0), (os.POSIX_SPAWN_DUP2, outbox, 1)],
                setsid=True,
            )
        keeper = os.getpid()
        process = os.fork()
        if not process:
            self._become_worker(keeper, marker, inbox, outbox)
        return process

    def _become_worker(self, keeper: int, marker: Path, inbox: int, outbox: int) -> NoReturn:
        try:
            system.lead_group()
            system.die_with(keeper)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.dup2(inbox, 0)
            os.dup2(outbox, 1)
            for descriptor in (inbox, outbox, self._alarm, self._bell):
                os.close(descriptor)
            self._control.close()
            worker.work(marker, worker.Channel())
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)

    def _bury_the_dead(self) -> None:
        with suppress(ChildProcessError):
            while dead := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                process = dead.si_pid
                if process in self._workers:
                    system.kill_child(process)  # while the id is still its own
                _, status = os.waitpid(process, 0)
                if process in self._workers:
                    self._workers.remove(process)
                    code = os.waitstatus_to_exitcode(status)
                    _send(self._control, {"ended": process, "code": code})
                self._kill_orphans()

    def _kill_orphans(self) -> None:
        """Kill the processes that dead workers have left behind."""
        for process in system.children(os.getpid()):
            if process not in self._workers:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
