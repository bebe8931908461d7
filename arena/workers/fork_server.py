"""The fork server: a process that forks guards.

It loads plugins and kernels once, and the weights and tables of each order before it forks the guard. Guards and player
processes inherit them, so they start within milliseconds. Forking is safe only in a process with one thread. If a
plugin has started another thread, guards and player processes start as interpreters.
"""

from __future__ import annotations

import gc
import socket
from contextlib import suppress
from typing import NoReturn

import psutil

from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import compile_for, preload
from arena.referee.task import GameTask
from arena.workers import guard, system
from arena.workers.messages import Channel, Progress, decode

_LONGEST_TASK = 1 << 20
"""Maximum length of an encoded task, in bytes."""
_CLEANING_INTERVAL = 0.5
"""Seconds."""
_THREADS = (
    "workers start more slowly, because processes cannot be forked: plugins or CUDA started threads at import; start "
    "threads later"
)


def main(control: socket.socket) -> NoReturn:
    """Start a guard for each order that the arena announces over ``control``, until the arena closes it."""
    registry.load()
    warm_up()
    system.start_supervisor()
    gc.collect()
    control.settimeout(_CLEANING_INTERVAL)
    guards: set[psutil.Process] = set()
    with suppress(ConnectionError):
        while True:
            with suppress(TimeoutError):
                packed, descriptors, _, _ = socket.recv_fds(control, _LONGEST_TASK, 1, socket.MSG_CMSG_CLOEXEC)
                if not packed:
                    break
                guards.add(_start_guard(decode(packed, type=GameTask), descriptors[0]))
            _clean_up(guards)
    system.end_supervisor()


def _start_guard(task: GameTask, descriptor: int) -> psutil.Process:
    """Start a guard for an order that begins with ``task``. ``descriptor``: the guard's connection to the arena."""
    with socket.socket(fileno=descriptor) as connection:
        channel = Channel(connection, None)
        with suppress(Exception):  # the guard meets the same error and reports it
            compile_for(task, lambda line: channel.send(Progress([line])))
            warm_up()
            preload(task)
        gc.freeze()  # keeps the collector of a fork from writing to shared memory, which would copy it
        if system.can_fork():
            return system.fork(guard.main, connection)
        with suppress(OSError):  # the arena has closed the connection
            channel.send(Progress([_THREADS]))
        return system.interpreter("arena.workers.guard", connection)


def _clean_up(guards: set[psutil.Process]) -> None:
    """Reap ended guards, resume guards that were stopped, and kill processes that dead guards have left."""
    for child in system.children():
        with suppress(psutil.Error):
            if child.status() == psutil.STATUS_ZOMBIE:
                child.wait()
                guards.discard(child)
            elif child in guards:
                child.resume()
            else:
                child.kill()
