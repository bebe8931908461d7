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

from arena.errors import TournamentStopped
from arena.workers import system

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.referee.task import GameTask
    from arena.workers.messages import Channel, FromGuard

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
        self.started = False
        """Whether a guard has started."""
        self.guards: set[int] = set()
        """The ids of those that run."""
        self._mark = secrets.token_hex()
        self._errors = TemporaryFile()  # noqa: SIM115  (until it is closed)
        self._server: psutil.Popen | None = None
        self._control = socket.socket()
        self._interpreters: list[psutil.Popen] = []
        self._needed = self._lost = False
        """Whether a fork server was asked for a guard, and whether one was killed, which reaps its guards no longer."""

    def begin(self) -> None:
        """Start the fork server if there is none, without waiting for it: call this early to overlap its start-up."""
        if self._server is not None or not self.forks:
            return
        self._control.close()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._server = self._interpreter("arena.workers.fork_server", theirs)

    def guard(self, task: GameTask) -> Channel[FromGuard]:
        """The channel to a new guard, for an order that ``task`` is a game of; it ends if the guard cannot start."""
        from arena.plugins.warmup import compile_missing
        from arena.workers.messages import Channel, Fork, FromGuard, encode

        ours, theirs = socket.socketpair()
        with theirs:
            if self.forks:
                self.begin()
                self._needed = True
                with suppress(OSError):  # it has died
                    socket.send_fds(self._control, [encode(Fork(task))], [theirs.fileno()])
            else:
                compile_missing(self.say)
                self._interpreters = [each for each in self._interpreters if each.poll() != 0]
                self._interpreters.append(self._interpreter("arena.workers.guard", theirs))
        return Channel[FromGuard](ours, FromGuard)

    def check(self) -> None:
        """A guard did not start: forget the fork server if it has died.

        Raises TournamentStopped if it, or an interpreter, has failed by itself, and was not killed.
        """
        for process in [*self._interpreters, *([self._server] if self._server else [])]:
            with suppress(psutil.TimeoutExpired):
                code = process.wait(0.1)
                if code and not system.ended_by_others(code):
                    reason = f"the process ended with {system.ended(code)}; {self._last}"
                    raise TournamentStopped(f"a worker cannot start: {reason}")
                if process is self._server:
                    self._server, self._lost = None, True

    def replace(self) -> None:
        """Kill the fork server, which does not answer."""
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            self._server, self._lost, self.started = None, True, False

    def close(self) -> None:
        """End the fork server, and wait until it and the guards, whose channels must be closed, have ended."""
        self._control.close()
        for process in [*self._interpreters, *([self._server] if self._server else [])]:
            try:
                process.wait(ANSWER if self._needed or not self.forks else 0.0)
            except psutil.TimeoutExpired:
                system.kill_tree(process)
                process.wait()
                self._lost = self._lost or self._needed
        if self._lost:
            system.wait_for(self.guards, ANSWER)
            system.kill_marked(MARK, self._mark)
        self._server = None
        self._interpreters.clear()
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _interpreter(self, module: str, connection: socket.socket) -> psutil.Popen:
        system.refuse_inspection()
        return system.interpreter(module, connection, self._errors, **{MARK: self._mark})

    @property
    def _last(self) -> str:
        """The last line that a process has written to its standard error."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "it wrote nothing")
