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
"""Seconds between two looks at guards that have ended."""


def main(control: socket.socket) -> NoReturn:
    """Fork guards until the arena is gone."""
    system.start_supervisor()
    registry.load()
    warm_up()
    gc.collect()
    gc.freeze()  # a fork that collected what is there already would need a copy of its own
    system.end_with_parent(0)  # to clear up; the end of the connection tells that the arena is gone
    with suppress(OSError):
        _serve(control)
    system.end_descendants()
    os._exit(0)  # an interpreter that has loaded so much takes long to end, and may run what plugins left for its end


def _serve(control: socket.socket) -> None:
    """Fork a guard for each connection that arrives with a task of its order, until the arena is gone."""
    guards: set[int] = set()
    while True:
        if select.select([control], [], [], _WAIT)[0]:
            packed, descriptors, _, _ = socket.recv_fds(control, LONGEST, 1, socket.MSG_CMSG_CLOEXEC)
            if not packed:
                return
            with suppress(Exception):  # the guard comes upon the same error, and reports it
                task = decode(packed, type=GameTask)
                compile_for(task, lambda line: Channel(control, None).send(Notice(line)))
                warm_up()
                gc.freeze()
                preload(task)
            with socket.socket(fileno=descriptors[0]) as connection:
                if threads := psutil.Process().num_threads() - 1:
                    with suppress(OSError):
                        reason = f"plugins, or CUDA, started {threads} threads at import (start none there)"
                        Channel(connection, None).send(Failed(reason, "threads"))
                else:
                    guards.add(system.fork(guard.run, connection))
        _look_after(guards)


def _look_after(guards: set[int]) -> None:
    """Reap guards, wake those that were stopped, and kill what dead ones have left behind."""
    for child in system.children():
        with suppress(psutil.Error):
            if child.status() == psutil.STATUS_ZOMBIE:
                child.wait()
                guards.discard(child.pid)
            elif child.pid in guards:
                child.resume()
            else:
                child.kill()
