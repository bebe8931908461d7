"""Starts guards for the arena: through the fork server, or as interpreters on systems without safe forks.

The module imports little when it is loaded, so that the fork server starts early, while the arena still loads the rest.
"""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Self

import psutil

from arena.errors import ArenaError, TournamentStopped
from arena.workers import system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arena.referee.task import GameTask
    from arena.workers.messages import Channel
    from arena.workers.pool import Pool

_EXIT_TIMEOUT = 20.0
"""Seconds that a process may take to end after the launcher has closed its connection."""
_MARK = "ARENA_TOURNAMENT"
"""Name of an environment variable with the same random value in all processes of a launcher, and in no other."""


class Launcher:
    """Starts guards. It is a context manager that ends all its processes at the end of the block."""

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        """``say`` is called with each line for the user."""
        self.say = say
        self._mark = secrets.token_hex()
        self._errors = TemporaryFile()  # noqa: SIM115 (closed by __exit__)
        self._processes: list[psutil.Process] = []
        """The fork server, or guards that are interpreters."""
        self._control = socket.socket()
        self._exit_timeout = 0.0

    def games(self, tasks: Iterable[GameTask], workers: int, **limits: Any) -> Pool:
        """Return a pool that plays the games of tasks. The arguments are those of :class:`~arena.workers.pool.Pool`."""
        from arena.workers.pool import Pool

        return Pool(tasks, workers, self, **limits)

    def start_fork_server(self) -> None:
        """Start the fork server if it is not running, and do not wait for it. Call this early to overlap its start."""
        if system.FORKS and not self._processes:
            self._control.close()
            self._control, child_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._start("arena.workers.fork_server", child_end)

    def start_guard(self, task: GameTask) -> Channel:
        """Start a guard and return the channel to it. If the guard cannot start, the channel is closed.

        ``task`` is the first task of the order.
        """
        from arena.referee.match import compile_for
        from arena.workers.messages import Channel, Progress, encode

        self._exit_timeout = _EXIT_TIMEOUT
        connection, child_end = socket.socketpair()
        if system.FORKS:
            self.start_fork_server()
            with child_end, suppress(OSError):  # the fork server has died
                socket.send_fds(self._control, [encode(task)], [child_end.fileno()])
        else:
            with suppress(ArenaError):  # the guard meets the same error and reports it
                compile_for(task, self.say)
            self._start("arena.workers.guard", child_end)
        return Channel(connection, Progress)

    def remove_ended(self) -> None:
        """Forget processes that have ended. Raises TournamentStopped if one of them failed and was not killed."""
        for process in list(self._processes):
            with suppress(psutil.TimeoutExpired):
                code = process.wait(0.1)
                self._processes.remove(process)
                if code and not system.killed_from_outside(code):
                    self._errors.seek(0)
                    last_line = self._errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
                    raise TournamentStopped(f"a worker cannot start: {system.exit_text(code)}; {last_line}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes. The channels of all guards must be closed before."""
        self._control.close()
        for process in self._processes:
            with suppress(psutil.TimeoutExpired):
                process.wait(self._exit_timeout)
            system.kill_tree(process)
        self._processes.clear()
        self._errors.close()
        system.kill_marked(_MARK, self._mark)  # what players have left if the fork server and a guard were killed

    def _start(self, module: str, connection: socket.socket) -> None:
        system.refuse_inspection()
        with connection:
            self._processes.append(system.interpreter(module, connection, self._errors, **{_MARK: self._mark}))
