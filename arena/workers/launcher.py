"""Starts guards for the arena: through the fork server, or as interpreters where processes cannot be forked.

It imports next to nothing at first, so that the fork server can start before the arena has loaded what it needs itself.
"""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Self

import psutil

from arena.errors import ArenaError, TournamentStopped
from arena.workers import system

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.referee.task import GameTask
    from arena.workers.messages import Channel

ANSWER = 20.0
"""Seconds that a process may take to end when the arena leaves."""
MARK = "ARENA_TOURNAMENT"
"""The environment variable that all processes of a launcher have in common."""


class Launcher:
    """Starts guards. Used as a context manager: leaving it ends every process that is left."""

    def __init__(self, say: Callable[[str], None] = lambda _: None) -> None:
        """``say`` gets a line if the user has to wait, or should know something."""
        self.say = say
        self.forks = system.FORKS
        self._mark = secrets.token_hex()
        self._errors = TemporaryFile()  # noqa: SIM115  (until it is closed)
        self._processes: list[psutil.Popen] = []
        """The fork server, or the guards that are interpreters."""
        self._control = socket.socket()
        self._needed = False
        """Whether a guard was asked for."""

    def begin(self) -> None:
        """Start the fork server if there is none, without waiting for it: call this early to overlap its start-up."""
        if self.forks and not self._processes:
            self._control.close()
            self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._start("arena.workers.fork_server", theirs)

    def guard(self, task: GameTask) -> Channel:
        """The channel to a new guard, for an order that ``task`` is a game of; it ends if the guard cannot start."""
        from arena.referee.match import compile_for
        from arena.workers.messages import Channel, FromGuard, encode

        self._needed = True
        ours, theirs = socket.socketpair()
        if self.forks:
            self.begin()
            with theirs, suppress(OSError):  # it has died
                socket.send_fds(self._control, [encode(task)], [theirs.fileno()])
        else:
            with suppress(ArenaError):  # the guard comes upon the same error, and reports it
                compile_for(task, self.say)
            self._start("arena.workers.guard", theirs)
        return Channel(ours, FromGuard)

    def look(self) -> None:
        """Pass on what the fork server has to say, and wake processes that were stopped."""
        from arena.workers.messages import Channel, Notice

        with suppress(EOFError):
            while self.forks and (notice := Channel(self._control, Notice).receive(0.0)):
                self.say(notice.text)
        for process in self._processes:
            with suppress(psutil.Error):
                process.resume()

    def check(self) -> None:
        """A guard has died: forget processes that have ended.

        Raises TournamentStopped if one has failed by itself, and was not killed.
        """
        for process in list(self._processes):
            with suppress(psutil.TimeoutExpired):
                code = process.wait(0.1)
                self._processes.remove(process)
                if code and not system.ended_by_others(code):
                    self._errors.seek(0)
                    last = self._errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
                    raise TournamentStopped(f"a worker cannot start: it ended with {system.ended(code)}; {last}")

    def close(self) -> None:
        """End all processes; the channels of guards must be closed."""
        self._control.close()
        for process in self._processes:
            with suppress(psutil.TimeoutExpired):
                process.wait(ANSWER if self._needed else 0.0)
            system.kill_tree(process)
        if self._needed:
            system.kill_marked(MARK, self._mark)
        self._processes.clear()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self, module: str, connection: socket.socket) -> None:
        system.refuse_inspection()
        with connection:
            self._processes.append(system.interpreter(module, connection, self._errors, **{MARK: self._mark}))
