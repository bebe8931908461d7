"""The program of a supervisor; see :mod:`arena.supervised`."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import psutil

from arena.checkers.game import Termination
from arena.plugins import registry
from arena.referee.match import Fault
from arena.supervised import work
from arena.supervised.messages import Reply, Work
from arena.workers import system
from arena.workers.messages import INVALID, Channel
from arena.workers.player import check_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

_TICK = 0.1
"""Maximum seconds between two checks of a worker."""
_START_TIMEOUT = 300.0
"""Seconds that an interpreter may take to start, if workers cannot be forked."""
_EXIT_TIMEOUT = 10.0
"""Seconds that a worker may take to end after it has closed its channel."""


def main(connection: socket.socket) -> NoReturn:
    """Carry out the work that the parent requests, until it closes the connection."""
    system.start_supervisor()
    registry.load()
    channel = Channel(connection, Work)
    with suppress(OSError):
        while True:
            for reply in _replies(channel.receive()):
                channel.send(reply)
    system.end_descendants()
    os._exit(0)


def _replies(request: Work) -> Iterator[Reply]:
    """Let a new worker do some work, and yield its replies. The last one is done."""
    connection, child_end = socket.socketpair()
    worker = Channel(connection, Reply, request.timeout)
    try:
        with child_end:
            forks = system.can_fork()
            process = system.fork(work.main, child_end) if forks else system.interpreter(work.__name__, child_end)
        worker.send(request)
        timeout = request.timeout + (0.0 if forks else _START_TIMEOUT)
        while not (reply := _next(worker, process, timeout, request)).done:
            yield reply
            timeout = request.timeout
        yield reply
    except Fault as fault:
        yield Reply(done=True, fault=(fault.termination, fault.reason))
    finally:
        worker.close()
        system.end_descendants()


def _next(worker: Channel, process: psutil.Process, timeout: float, request: Work) -> Reply:
    """Return the next reply of a worker. Raises Fault if there is none in time, or if the worker has failed."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        try:
            reply: Reply | None = worker.receive(_TICK)
            if reply is not None:
                return reply
        except INVALID:
            raise Fault(Termination.CRASH, "the process sent an invalid message") from None
        except OSError:
            raise _death(process) from None
        check_memory(request.memory, system.tree(process))
    raise Fault(Termination.TIMEOUT, f"no answer within {request.timeout:g} seconds")


def _death(process: psutil.Process) -> Fault:
    """Return the fault of a worker that has closed its channel."""
    try:
        code = process.wait(_EXIT_TIMEOUT)
    except psutil.TimeoutExpired:
        return Fault(Termination.CRASH, "the process closed its channel")
    return Fault(Termination.CRASH, f"the process ended with {system.exit_text(code)}")
