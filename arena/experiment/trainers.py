"""Training runs in several processes."""

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
"""How often the process of a run may die before the run has failed."""
_MODULE = "arena.experiment.trainer"
_Message = Advanced | Reached | Trained


class Trainers:
    """Trains runs in processes of their own, in the order in which they are added.

    Used as a context manager: leaving it ends the processes. What a run has learned since its last checkpoint is lost
    then.
    """

    def __init__(self, processes: int, order: Callable[[int], Train]) -> None:
        """``order`` says how the run of an id goes on; it is called when the run's turn comes."""
        self._most = processes
        self._order = order
        self._waiting: deque[int] = deque()
        self._running: dict[Connection, tuple[psutil.Popen, int | None]] = {}
        """Processes, and the ids of their runs; None: the process is idle."""
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
        """Train the run of that id when a process is free."""
        self._waiting.append(run)
        self._hand_out()

    @property
    def busy(self) -> bool:
        """Whether any run is waiting or trained."""
        return bool(self._waiting) or any(run is not None for _, run in self._running.values())

    def messages(self, timeout: float) -> Iterator[tuple[int, _Message]]:
        """The messages that arrive within ``timeout`` seconds at most, each with the id of its run."""
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
        """Train a run again whose process has died, unless that has happened too often."""
        how = system.exit_text(process.wait())
        self._deaths[run] += 1
        if system.killed_from_outside(process.returncode):
            if self._deaths[run] == ATTEMPTS:
                raise TournamentStopped(f"the process that trains was killed {ATTEMPTS} times: {how}")
            self._waiting.appendleft(run)
        else:
            yield run, Trained(f"the process of the learner died: {how}", self._last_words())

    def _last_words(self) -> str:
        """What the processes have written to their standard error last."""
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-2000:]

    def _hand_out(self) -> None:
        """Give the runs that wait to idle processes, or to new ones."""
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
                return  # the process has died, and messages() will find this out

    def _started(self) -> Connection:
        ours, theirs = socket.socketpair()
        with theirs:
            process = system.interpreter(_MODULE, theirs, self._errors)
        connection = Connection(ours.detach())
        self._running[connection] = process, None
        return connection
