"""The program of a worker, which runs one function; see :mod:`arena.supervised`."""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from arena.errors import ArenaError
from arena.referee.match import Fault
from arena.supervised.messages import Reply, Work
from arena.workers import system
from arena.workers.messages import Channel

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator


def main(connection: socket.socket) -> NoReturn:
    """Run the function that the supervisor names, and send each value that it yields."""
    system.start_player()
    channel = Channel(connection, Work)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=channel.close)  # forks of plugins send no messages
    with suppress(OSError):
        for reply in _replies(channel.receive()):
            channel.send(reply)
    os._exit(0)


def _replies(work: Work) -> Iterator[Reply]:
    module, _, function = work.function.partition(":")
    try:
        for value in getattr(import_module(module), function)(*work.arguments):
            yield Reply(value)
    except ArenaError as error:
        yield Reply(done=True, error=(type(error).__name__, str(error)))
    except BaseException as error:
        fault = Fault.raised(error)
        yield Reply(done=True, fault=(fault.termination, fault.reason))
    else:
        yield Reply(done=True)
