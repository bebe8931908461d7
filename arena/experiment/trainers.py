"""Trains several runs at a time, each in a process of its own."""

from __future__ import annotations

import socket
from collections import Counter, deque
from multiprocessing.connection import Connection, wait
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Self

import msgspec

from arena.errors import TournamentStopped
from arena.experiment.trainer import Advanced, Reached, Train, Trained
from arena.workers import system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psutil

ATTEMPTS = 3
"""The experiment stops when processes of a run were killed from outside this many times.

A process that crashes fails its run at once.
"""
_MODULE = "arena.experiment.trainer"
_Message = Advanced | Reached | Trained


class Trainers:
    """Trains runs in processes, in the order in which they are added.

    A context manager. On exit it kills the processes, and unfinished runs lose what they learned since their last
    checkpoints.
    """

    def __init__(self, processes: int, order: Callable[[int], Train]) -> None:
        """``processes``: maximum number of processes. ``order``: returns the message that starts or continues a run.

        ``order`` gets the id of the run. It is called just before the run is sent to a process.
        """
        self._most = processes
        self._order = order
        self._waiting: deque[int] = deque()
        self._running: dict[Connection, tuple[psutil.Popen, int | None]] = {}
        """Each process with the id of its run; None: the process is idle."""
        self._deaths: Counter[int] = Counter()
        self._errors = TemporaryFile()  # noqa: SIM115  (it is closed on exit)
        self._decoder = msgspec.msgpack.Decoder(_Message)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        for connection, (process, _run) in self._running.items():
            connection.close()
            system.kill_tree(process)
            process.wait()
        self._running.clear()
        self._errors.close()

    def add(self, run: int) -> None:
        """Train a run when a process is free. ``run``: its id."""
        self._waiting.append(run)
        self._hand_out()

    @property
    def busy(self) -> bool:
        """Whether any run is waiting or being trained."""
        return bool(self._waiting) or any(run is not None for _, run in self._running.values())

    def messages(self, timeout: float) -> Iterator[tuple[int, _Message]]:
        """Wait up to ``timeout`` seconds and yield the messages that arrived, each with the id of its run.

        Raises TournamentStopped if processes of a run were killed from outside :data:`ATTEMPTS` times.
        """
        for connection in wait(list(self._running), timeout) if self._running else ():
            assert isinstance(connection, Connection)
            process, run = self._running[connection]
            try:
                message = self._decoder.decode(connection.recv_bytes())
            except (EOFError, OSError):
                del self._running[connection]
                connection.close()
                if run is not None:
                    yield from self._died(run, process)
                continue
            assert run is not None
            if isinstance(message, Trained):
                self._running[connection] = process, None
            yield run, message
        self._hand_out()

    def _died(self, run: int, process: psutil.Popen) -> Iterator[tuple[int, _Message]]:
        """Handle the death of the process that trained a run.

        If it was killed from outside, the run is trained again, unless it was killed too often. If it crashed, the run
        has failed.
        """
        how = system.exit_text(process.wait())
        self._deaths[run] += 1
        if system.killed_from_outside(process.returncode):
            if self._deaths[run] == ATTEMPTS:
                raise TournamentStopped(f"the process that trains was killed {ATTEMPTS} times: {how}")
            self._waiting.appendleft(run)
        else:
            yield run, Trained(f"the process of the learner died: {how}", self._last_words())

    def _last_words(self) -> str:
        """Return the last 2,000 characters that the processes wrote to standard error."""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-2000:]

    def _hand_out(self) -> None:
        """Pass waiting runs to idle processes or to new ones."""
        while self._waiting:
            idle = next((each for each, (_, run) in self._running.items() if run is None), None)
            if idle is None and len(self._running) < self._most:
                idle = self._started()
            if idle is None:
                return
            run = self._waiting.popleft()
            process, _ = self._running[idle]
            self._running[idle] = process, run
            try:
                idle.send_bytes(msgspec.msgpack.encode(self._order(run)))
            except OSError:
                return  # the process has died; messages() handles this

    def _started(self) -> Connection:
        ours, theirs = socket.socketpair()
        with theirs:
            process = system.interpreter(_MODULE, theirs, self._errors)
        connection = Connection(ours.detach())
        self._running[connection] = process, None
        return connection
