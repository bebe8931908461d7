"""The fork server: a process that forks guards.

It loads plugins and kernels once, and the weights and tables of each order before it forks the guard. Guards and player
processes inherit them, so they start within milliseconds. Forking is safe only in a process with one thread. If a
plugin has started another thread, guards and player processes start as interpreters.
"""

from __future__ import annotations

import gc
import os
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
_WAIT = 0.5
"""Maximum number of seconds between two calls of :func:`_clean_up`."""
_THREADS = (
    "workers start more slowly, because processes cannot be forked: plugins or CUDA started threads at import; start "
    "threads later"
)


def main(control: socket.socket) -> NoReturn:
    """Start guards until the arena closes ``control``. Then kill all descendants and end."""
    registry.load()
    warm_up()
    system.start_supervisor()
    gc.collect()
    with suppress(OSError, EOFError):
        _serve(control)
    system.end_descendants()
    os._exit(0)  # a regular exit is slow and runs exit handlers of plugins


def _serve(control: socket.socket) -> NoReturn:
    """Start a guard for each request, which is a task of the order with the guard's connection to the arena."""
    guards: set[psutil.Process] = set()
    control.settimeout(_WAIT)
    while True:
        with suppress(TimeoutError):
            packed, descriptors, _, _ = socket.recv_fds(control, _LONGEST_TASK, 1, socket.MSG_CMSG_CLOEXEC)
            if not packed:
                raise EOFError
            with socket.socket(fileno=descriptors[0]) as connection:
                guards.add(_start_guard(decode(packed, type=GameTask), connection))
        _clean_up(guards)


def _start_guard(task: GameTask, connection: socket.socket) -> psutil.Process:
    channel = Channel(connection, None)
    with suppress(Exception):  # the guard meets the same error and reports it
        compile_for(task, lambda line: channel.send(Progress(lines=[line])))
        warm_up()
        preload(task)
    gc.freeze()  # keeps the collector of a fork from writing to shared memory, which would copy it
    if system.can_fork():
        return system.fork(guard.main, connection)
    with suppress(OSError):  # the arena has closed the connection
        channel.send(Progress(lines=[_THREADS]))
    return system.interpreter("arena.workers.guard", connection)


def _clean_up(guards: set[psutil.Process]) -> None:
    """Reap ended guards, resume guards that were stopped, and kill processes that dead guards have left."""
    for child in system.children(psutil.Process()):
        with suppress(psutil.Error):
            if child.status() == psutil.STATUS_ZOMBIE:
                child.wait()
                guards.discard(child)
            elif child in guards:
                child.resume()
            else:
                child.kill()
