"""The fork server: a process that forks guards.

It loads plugins and kernels once, and the weights and tables of the games to be played, so that a guard and the
processes that it forks have them within milliseconds. It runs one thread; if a plugin has started another, forking is
not safe, and guards start as interpreters instead. It ends when the arena is gone, with everything that is left of its
guards.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import time
from collections import deque
from contextlib import suppress
from typing import NoReturn

from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import compile_for, preload
from arena.workers import guard, system
from arena.workers.messages import LONGEST, Channel, Failed, Fork, Notice, decode

_WAIT = 0.5
"""Seconds between two looks at guards that have ended."""
_END = 10.0
"""Seconds that guards have to end themselves when the arena is gone."""


def main(parent: int) -> NoReturn:
    """Fork guards until the arena is gone."""
    system.die_with(parent)
    system.start_alone()
    system.refuse_inspection()
    system.adopt_orphans()
    server = _Server(system.inherited())
    registry.load()
    warm_up()
    gc.collect()
    gc.freeze()  # a fork that collected what is there already would need a copy of its own
    system.die_with(None)  # to clear up; the end of the connection tells that the arena is gone
    server.run()
    server.end()
    os._exit(0)  # an interpreter that has loaded so much takes long to end, and may run what plugins left for its end


class _Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._guards: set[int] = set()
        self._requests: deque[tuple[Fork, socket.socket]] = deque()
        os.set_inheritable(control.fileno(), False)

    def run(self) -> None:
        """Fork the guards that are asked for, until the arena is gone."""
        while True:
            if not self._requests and select.select([self._control], [], [], _WAIT)[0] and not self._receive():
                return
            while self._requests:
                request, connection = self._requests.popleft()
                notices = Channel[None](connection, None)
                with suppress(Exception):  # the guard comes upon the same error, and reports it
                    compile_for(request.task, lambda line: notices.send(Notice(line)))  # noqa: B023  (called at once)
                    warm_up()
                    gc.freeze()
                    preload(request.task)
                with connection:
                    if (number := system.threads() - 1) > 0:
                        with suppress(OSError):
                            Channel(connection, None).send(
                                Failed(f"plugins, or CUDA, started {number} threads", threads=True)
                            )
                    else:
                        self._fork(connection)
            self._reap()

    def _receive(self) -> bool:
        """Wait for the next request; whether there is one."""
        try:
            packed, descriptors, _, _ = socket.recv_fds(self._control, LONGEST, 1, socket.MSG_CMSG_CLOEXEC)
        except OSError:
            return False
        if packed:
            self._requests.append((decode(packed, type=Fork), socket.socket(fileno=descriptors[0])))
        return bool(packed)

    def end(self) -> None:
        """Wait for the guards, and kill whatever is left."""
        deadline = time.monotonic() + _END
        while self._guards and time.monotonic() < deadline:
            self._reap()
            time.sleep(0.01)
        system.end_descendants()

    def _fork(self, connection: socket.socket) -> None:
        process = os.fork()
        if process:
            self._guards.add(process)
            return
        try:
            system.keep_only(connection.fileno())
            guard.run(connection)
        finally:
            os._exit(1)

    def _reap(self) -> None:
        """Reap guards, wake those that were stopped, and kill what dead ones have left behind."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG | os.WUNTRACED))[0]:
                if os.WIFSTOPPED(ended[1]):
                    os.kill(ended[0], signal.SIGCONT)
                else:
                    self._guards.discard(ended[0])
        for orphan in system.children() - self._guards:
            with suppress(ProcessLookupError):
                os.kill(orphan, signal.SIGKILL)
