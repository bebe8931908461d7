"""Processes that many tests share: a fork server, training processes, and processes of single players.

The arena starts a fork server for each tournament, training processes for each experiment, and a process for each
opponent of a person. A process loads Numba, the plugins and the kernels, which takes two seconds of processor time.
Tests that are not about starting and ending these processes share them.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.conformance import trial
from arena.experiment import session
from arena.experiment.trainers import Trainers
from arena.play import processes
from arena.plugins import registry
from arena.tournament import replay, runner
from arena.workers.isolated import IsolatedPlayer
from arena.workers.launcher import Launcher
from arena.workers.messages import Create

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from arena.checkers.move import Side
    from arena.experiment.trainer import Train
    from arena.referee.task import GameTask
    from arena.workers.messages import Answer, Request

MOST = 3
"""Maximum number of launchers that are kept, each with other surroundings."""
IRRELEVANT = {"PYTEST_CURRENT_TEST", "COLUMNS", "NO_COLOR", "TERM"}
"""Environment variables that do not matter to processes without a terminal."""


class KeptLauncher(Launcher):
    """A launcher that keeps its processes at the end of a block, for the next tournament."""

    def __exit__(self, *_: object) -> None:
        pass

    def close(self) -> None:
        """End all processes."""
        super().__exit__()

    def processes(self) -> set[psutil.Process]:
        """Return the processes that this launcher has started and that still run."""
        return {psutil.Process(each.pid) for each in self._processes if each.is_running()}


class KeptTrainers(Trainers):
    """Trainers that keep their idle processes at the end of a block, for the next experiment."""

    def __init__(self, processes: int, order: Callable[[int], Train], idle: dict[Connection, psutil.Popen]) -> None:
        """``idle``: the processes that are kept. A block takes its processes from there and puts them back."""
        super().__init__(processes, order)
        self._idle = idle

    def __exit__(self, *_: object) -> None:
        for connection in [connection for connection, (_, run) in self._running.items() if run is None]:
            self._idle[connection], _ = self._running.pop(connection)
        super().__exit__()

    def _started(self) -> Connection:
        if not self._idle:
            return super()._started()
        connection, process = self._idle.popitem()
        self._running[connection] = process, None
        return connection


class KeptPlayer(IsolatedPlayer):
    """A player whose process is kept when it is closed, for the next player. After a failure it is not."""

    def __init__(
        self, idle: list[KeptPlayer], task: GameTask, side: Side, memory: int, timeout: float, *, by_ply: bool = False
    ) -> None:
        """``idle``: the closed players. The new one takes the process of one of them."""
        self._idle, self._failed = idle, False
        if idle:
            self.__dict__ = idle.pop().__dict__ | {"_memory": memory, "_timeout": timeout}
            try:
                self.ask(Create(task, side, memory, by_ply))
            except BaseException:
                self.end()
                raise
        else:
            super().__init__(task, side, memory, timeout, by_ply=by_ply)

    def ask(self, request: Request) -> Answer:
        self._failed = True
        answer = super().ask(request)
        self._failed = False
        return answer

    def close(self) -> None:
        if self._failed:
            self.end()
        elif self not in self._idle:
            self._idle.append(self)

    def end(self) -> None:
        """End the process."""
        super().close()


@dataclass(frozen=True)
class Surroundings:
    """What a process of the arena depends on, beside its orders."""

    path: list[str]
    environment: dict[str, str]
    plugins: set[tuple[str, str, str, str]]

    @classmethod
    def now(cls) -> Surroundings:
        """Return the surroundings in which a process would start now."""
        environment = {name: value for name, value in os.environ.items() if name not in IRRELEVANT}
        registered = [each for kind in registry.KINDS for each in registry.load().all(kind)]
        return cls([*sys.path], environment, {(each.kind, each.name, each.module, each.origin) for each in registered})


class Kept:
    """The processes that are kept in some surroundings."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.surroundings = surroundings
        self.launcher = KeptLauncher()
        self.trainers: dict[Connection, psutil.Popen] = {}
        self.players: list[KeptPlayer] = []

    def processes(self) -> set[psutil.Process]:
        started = [*self.trainers.values(), *(player._process for player in self.players)]
        return self.launcher.processes() | {psutil.Process(each.pid) for each in started if each.is_running()}

    def close(self) -> None:
        self.launcher.close()
        for connection, process in self.trainers.items():
            connection.close()
            process.wait()
        for player in self.players:
            player.end()


class SharedLauncher:
    """Takes the place of the class :class:`Launcher`: each call in the same surroundings returns the same launcher.

    In other surroundings the fork server may have loaded other plugins, so the call returns another launcher.
    """

    def __init__(self) -> None:
        self._kept: list[Kept] = []
        """The last entry was the last one in use."""

    def __call__(self, say: Callable[[str], None] = lambda _: None) -> KeptLauncher:
        launcher = self._now().launcher
        launcher.say = say
        return launcher

    def trainers(self, processes: int, order: Callable[[int], Train]) -> KeptTrainers:
        """Take the place of the class :class:`Trainers`."""
        return KeptTrainers(processes, order, self._now().trainers)

    def player(self, task: GameTask, side: Side, memory: int, timeout: float, *, by_ply: bool = False) -> KeptPlayer:
        """Take the place of the class :class:`IsolatedPlayer`."""
        return KeptPlayer(self._now().players, task, side, memory, timeout, by_ply=by_ply)

    def processes(self) -> set[psutil.Process]:
        """Return all processes that are kept."""
        return set().union(*(kept.processes() for kept in self._kept))

    def close(self) -> None:
        """End all processes."""
        while self._kept:
            self._kept.pop().close()

    def _now(self) -> Kept:
        """Return the processes for the current surroundings."""
        now = Surroundings.now()
        place = next((place for place, kept in enumerate(self._kept) if kept.surroundings == now), None)
        self._kept.append(Kept(now) if place is None else self._kept.pop(place))
        if len(self._kept) > MOST:
            self._kept.pop(0).close()
        return self._kept[-1]


SHARED = SharedLauncher()
"""The launcher of all tests of this process that share one."""
atexit.register(SHARED.close)


@contextmanager
def shared_processes() -> Iterator[SharedLauncher]:
    """Let tournaments, experiments and games of the block use the processes of :data:`SHARED`."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (runner, replay, session, trial):
            patch.setattr(module, "Launcher", SHARED)
        patch.setattr(session, "Trainers", SHARED.trainers)
        for module in (processes, trial):
            patch.setattr(module, "IsolatedPlayer", SHARED.player)
        yield SHARED


@pytest.fixture(scope="module")
def module_launcher() -> Iterator[SharedLauncher]:
    """Let the tests of a module share processes with others. Check that no other process remains at the end."""
    before = set(psutil.Process().children())
    with shared_processes() as launcher:
        yield launcher
    assert set(psutil.Process().children()) - before <= SHARED.processes()


@pytest.fixture
def shared_launcher(module_launcher: SharedLauncher) -> Iterator[None]:
    """Use :func:`module_launcher`. Check that no other process that a test started remains, alive or as a zombie."""
    before = set(psutil.Process().children())
    yield
    assert set(psutil.Process().children()) - before <= module_launcher.processes()
