"""The fork server: a process that forks guards.

It loads plugins and kernels once, and the weights and tables of each order before it forks the guard. Guards and player
processes inherit them, so they start within milliseconds. Forking is safe only in a process with one thread. If a
plugin has started another thread, the fork server refuses the order, and guards start as interpreters from then on.
"""

from __future__ import annotations

import gc
import os
import select
import socket
from contextlib import suppress
from typing import NoReturn

import psutil

from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import compile_for, preload
from arena.referee.task import GameTask
from arena.workers import guard, system
from arena.workers.messages import LONGEST, Channel, Failed, Notice, decode

_WAIT = 0.5
"""Maximum number of seconds between two calls of :func:`_clean_up`."""


def main(control: socket.socket) -> NoReturn:
    """Fork guards until the arena closes ``control``. Then kill all descendants and end."""
    system.start_supervisor()
    registry.load()
    warm_up()
    gc.collect()
    gc.freeze()  # keeps the collector of a fork from writing to shared memory, which would copy it
    system.end_with_parent(0)  # from here on, the closed connection shows that the arena has ended
    with suppress(OSError):
        _serve(control)
    system.end_descendants()
    os._exit(0)  # a regular exit is slow and runs exit handlers of plugins


def _serve(control: socket.socket) -> None:
    """Fork a guard for each request, which is a task of the order with the guard's connection to the arena."""
    guards: set[int] = set()
    while True:
        if select.select([control], [], [], _WAIT)[0]:
            packed, descriptors, _, _ = socket.recv_fds(control, LONGEST, 1, socket.MSG_CMSG_CLOEXEC)
            if not packed:
                return
            with suppress(Exception):  # the guard meets the same error and reports it
                task = decode(packed, type=GameTask)
                compile_for(task, lambda line: Channel(control, None).send(Notice(line)))
                warm_up()
                gc.freeze()
                preload(task)
            with socket.socket(fileno=descriptors[0]) as connection:
                if threads := psutil.Process().num_threads() - 1:
                    with suppress(OSError):
                        reason = f"plugins or CUDA started threads at import ({threads}); start threads later"
                        Channel(connection, None).send(Failed(reason, "threads"))
                else:
                    guards.add(system.fork(guard.run, connection))
        _clean_up(guards)


def _clean_up(guards: set[int]) -> None:
    """Reap ended guards, resume guards that were stopped, and kill processes that dead guards have left."""
    for child in system.children():
        with suppress(psutil.Error):
            if child.status() == psutil.STATUS_ZOMBIE:
                child.wait()
                guards.discard(child.pid)
            elif child.pid in guards:
                child.resume()
            else:
                child.kill()
