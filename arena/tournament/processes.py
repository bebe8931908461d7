"""Worker processes as the arena starts and ends them: through a keeper where processes can be forked, or one by one."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from contextlib import suppress
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Self

from arena import library
from arena.errors import TournamentStopped
from arena.tournament import launch, system

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 300.0
"""Seconds that a worker may take for what is no player's turn: to start, to load weights."""
DEATHS = 30
"""Processes in a row that may be killed without anything done between them."""
_MARK = "ARENA_TOURNAMENT"
"""The environment variable that all processes of a starter have in common."""
ANSWER = 10.0
"""Seconds that a keeper may take to do what it is told."""
ATTEMPTS = 10
"""How often something is begun before somebody is held responsible for the deaths of its processes."""


class Process(ABC):
    """A process that was started."""

    id: int
    bereft = False
    """Whether what had started it was killed, and it with that."""

    @abstractmethod
    def code(self, timeout: float = 0.0) -> int | None:
        """Its return code, after ``timeout`` seconds at most; None while it runs."""

    @abstractmethod
    def kill(self) -> None:
        """End it and all that it has started, at once."""

    @abstractmethod
    def end(self) -> int:
        """Kill it, and wait until it is dead; its return code."""


class Starter(ABC):
    """Starts workers. What they write to their standard error before they are ready is kept for :meth:`last_words`."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._mark = secrets.token_hex()
        self._errors = TemporaryFile()  # noqa: SIM115  (until it is closed)

    def begin(self) -> None:  # noqa: B027  (not every starter has something to get ready)
        """Get ready to start workers, without waiting for it: the sooner, the less the first of them is waited for."""

    @abstractmethod
    def start(self, marker: Path, inbox: int, outbox: int) -> Process:
        """Start a worker with its marker in that file and these file descriptors for its tasks and messages.

        Raises TournamentStopped where none can be started.
        """

    def close(self) -> None:
        """Kill what is left, and let go of everything."""
        self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def last_words(self) -> str:
        """The last line that was written to the standard error of a process that it started."""
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")

    def _interpreter(self, command: str, settings: str, **options: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-P", "-c", command, settings],
            stderr=self._errors,
            env={**os.environ, **system.ONE_THREAD, **library.environment(), "PYTHONHASHSEED": "0", _MARK: self._mark},
            **options,
            **system.apart(),
        )


def starter(say: Callable[[str], None] = lambda _: None) -> Starter:
    """What starts workers on this system; ``say`` is given a line when kernels must be compiled first."""
    return Keeper(say) if system.FORKS else Interpreters(say)


class Interpreters(Starter):
    """Starts each worker as an interpreter of its own."""

    def start(self, marker: Path, inbox: int, outbox: int) -> Process:
        from arena.warmup import compile_missing

        compile_missing(self._say)
        settings = launch.worker_settings(marker)
        return _Child(self._interpreter(launch.WORKER, settings, stdin=inbox, stdout=outbox))


class _Child(Process):
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.id = process.pid
        self._process = process

    def code(self, timeout: float = 0.0) -> int | None:
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def kill(self) -> None:
        system.kill_group(self._process)

    def end(self) -> int:
        self.kill()
        return self._process.wait()


class Keeper(Starter):
    """Has workers started by a keeper; another one takes its place where it was killed, and its workers with it."""

    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(say)
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False
        self._control = socket.socket(socket.AF_UNIX)
        self._workers: dict[int, _Kept] = {}
        self._latest: _Kept | None = None

    def begin(self) -> None:
        """Start a keeper where there is none; while it loads, there is something else to do."""
        if self._process is not None:
            return
        self._control.close()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = self._interpreter(
                launch.KEEPER,
                launch.keeper_settings(theirs.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def start(self, marker: Path, inbox: int, outbox: int) -> Process:
        self._latest = None
        while self._latest is None:
            if not self._ready:
                self._wait()
            with suppress(OSError):  # it has just died, as will be heard
                message = {"start": {"marker": str(marker), "library": library.absolute()}}
                socket.send_fds(self._control, [json.dumps(message).encode()], [inbox, outbox])
            while self._process and not self._latest:
                if not self.listen(ANSWER):
                    system.kill_group(self._process)
        return self._latest

    def close(self) -> None:
        self._control.close()
        if self._process is not None:
            try:
                self._process.wait(ANSWER if self._ready else 0.0)
            except subprocess.TimeoutExpired:
                system.kill_group(self._process)
                self._process.wait()
        super().close()

    def listen(self, timeout: float) -> bool:
        """Hear what the keeper says next, within so many seconds; False where it says nothing."""
        if self._process is None:
            return False
        if not select.select([self._control], [], [], max(timeout, 0.0))[0]:
            return False
        match self._message():
            case {"started": process}:
                self._latest = self._workers[process] = _Kept(self, process)
            case {"ended": process, "code": code}:
                self._workers.pop(process).ended(code)
            case _:
                self.give_up()
        return True

    def tell(self, message: dict[str, Any]) -> None:
        """Send the keeper a message."""
        with suppress(OSError):
            self._control.send(json.dumps(message).encode())

    def _wait(self) -> None:
        """Wait until there is a keeper that is ready."""
        for attempt in range(1, DEATHS + 1):
            self.begin()
            code = self._code_unless_ready()
            if code is None:
                return
            if attempt == DEATHS or not system.ended_by_others(code):
                raise TournamentStopped(
                    f"a worker cannot start: the process ended with {system.ended(code)}; {self.last_words()}"
                )

    def _code_unless_ready(self) -> int | None:
        """Hear the keeper until it is ready; its return code where it dies before."""
        while select.select([self._control], [], [], PATIENCE)[0]:
            match self._message():
                case {"ready": _}:
                    self._ready = True
                    return None
                case {"notice": text}:
                    self._say(text)
                case _:
                    code = self._process.wait() if self._process else 0
                    self._process = None
                    return code
        raise TournamentStopped(f"a worker cannot start: nothing happened for {PATIENCE:g} seconds")

    def _message(self) -> dict[str, Any]:
        """The next message; empty where the keeper is dead."""
        try:
            message: dict[str, Any] = json.loads(self._control.recv(launch.MESSAGE) or "{}")
        except OSError:
            return {}
        return message

    def give_up(self) -> None:
        """The keeper has died, or does not answer and dies now; and with it, or soon after, its workers."""
        if self._process is None:
            return
        system.kill_group(self._process)
        self._process.wait()
        self._process, self._ready = None, False
        system.kill_marked(_MARK, self._mark)
        while self._workers:
            _, worker = self._workers.popitem()
            worker.bereft = True
            worker.ended(-signal.SIGKILL)


class _Kept(Process):
    def __init__(self, keeper: Keeper, process: int) -> None:
        self.id = process
        self._keeper = keeper
        self._code: int | None = None

    def code(self, timeout: float = 0.0) -> int | None:
        deadline = time.monotonic() + timeout
        while self._code is None and self._keeper.listen(deadline - time.monotonic()):
            pass
        return self._code

    def kill(self) -> None:
        if self._code is None:
            self._keeper.tell({"kill": self.id})

    def end(self) -> int:
        self.kill()
        if self.code(ANSWER) is None:
            self._keeper.give_up()
        return self._code or 0

    def ended(self, code: int) -> None:
        """Its end was reported."""
        self._code = code
