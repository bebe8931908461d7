"""Functions that run in a process of their own, with limits of time and memory.

The *supervisor* (:mod:`~arena.supervised.supervisor`) is a new interpreter that runs no code of plugins except their
registration. For each call it forks a *worker* (:mod:`~arena.supervised.work`), which runs the function. After the
call, the supervisor kills the worker and everything that the worker has started.
"""

from __future__ import annotations

import secrets
import socket
from typing import TYPE_CHECKING, Any, Self

from arena import errors
from arena.checkers.game import Termination
from arena.interrupts import check_interrupt
from arena.referee.match import Fault
from arena.supervised.messages import Reply, Work
from arena.workers import system
from arena.workers.messages import Channel

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psutil

_TICK = 0.25
"""Seconds between two checks for Ctrl-C while this process waits."""
_MARK = "ARENA_SUPERVISOR"
"""Name of an environment variable with the same random value in all processes of a supervisor, and in no other."""


class Supervisor:
    """Runs functions in processes of their own. It is a context manager that ends all of them.

    ::

        with Supervisor() as supervisor:
            for value in supervisor.run("package.module:function", "argument", timeout=30.0, memory=2048):
                ...
    """

    def __init__(self) -> None:
        self._process: psutil.Process | None = None
        self._channel: Channel | None = None
        self._mark = secrets.token_hex()

    def run(self, function: str, *arguments: Any, timeout: float, memory: int) -> Iterator[Any]:
        """Yield the values that a generator function yields.

        ``function``: its module and its name, separated by a colon. Arguments and values are what MessagePack can hold:
        None, booleans, numbers, texts, bytes, lists and mappings. ``timeout``: seconds for each value and for the end.
        ``memory``: limit of the process and its descendants, in MB.

        Raises the ArenaError that the function raises. Raises Fault if the function raises another exception, or if its
        process hangs, crashes or takes too much memory.
        """
        channel, ended = self._started(), False
        channel.send(Work(function, list(arguments), timeout, memory << 20))
        try:
            while not ended:
                check_interrupt()
                if (reply := channel.receive(_TICK)) is None:
                    continue
                ended = reply.done
                if reply.fault:
                    raise Fault(*reply.fault)
                if reply.error:
                    raise getattr(errors, reply.error[0])(reply.error[1])
                if not reply.done:
                    yield reply.value
        except OSError:
            raise Fault(Termination.CRASH, "the process killed its supervisor") from None
        finally:
            if not ended:
                self.close()

    def close(self) -> None:
        """End all processes. The next call of :meth:`run` starts a new supervisor."""
        if self._process is not None and self._channel is not None:
            self._channel.close()
            system.kill_tree(self._process)
            system.kill_marked(_MARK, self._mark)
        self._process = self._channel = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _started(self) -> Channel:
        """Return the channel to the supervisor, which is started if necessary."""
        if self._channel is None:
            connection, child_end = socket.socketpair()
            with child_end:
                self._process = system.interpreter("arena.supervised.supervisor", child_end, **{_MARK: self._mark})
            self._channel = Channel(connection, Reply)
        return self._channel
