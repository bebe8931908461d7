"""Plays games in worker processes, whatever the players do to them.

Each worker holds at most two tasks: the game that it plays, and one that waits so that it never idles. A
worker ends when it dies by itself or is *condemned*: killed, with a verdict, because a turn took too long or
it sent what is no message. Either way its end is dealt with once, after everything that it had sent:

- A game whose record had arrived stands.
- A game during a player's turn is forfeited by that player: TIMEOUT, or CRASH.
- A game that ended in no player's turn, or by a signal that others send (a user, a system short of memory),
  is played again from its beginning. If this happens to it three times, the player whose turn it was
  forfeits; if it was nobody's turn, the tournament stops. It stops too when many workers die and no game ends.
- The task that waited goes back to the front of the others.
- Another worker takes its place. One that cannot start, or a task that nobody can play, stops the tournament.

Memory does not grow with the number of tasks: they are taken from their iterator as they are needed.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from arena import library
from arena.checkers.game import Termination
from arena.errors import TournamentStopped
from arena.match import broken_off
from arena.record import GameRecord
from arena.tournament import system, worker
from arena.tournament.marker import SharedMarker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.checkers.move import Side
    from arena.match import GameTask

AHEAD = 2
"""Tasks that a worker holds."""
ATTEMPTS = 3
"""How often a game is begun before somebody is held responsible for the deaths of its workers."""
DEATHS = 30
"""Workers in a row that may die without a game's end between them."""
PATIENCE = 300.0
"""Seconds that a worker may take for what is no player's turn: to start, to load weights."""
GRACE = 1.0
"""Seconds that a worker has to die after its last message, before it is killed."""
TICK = 0.1
"""Seconds between two looks at the turns, at most."""
LONGEST_LINE = 1 << 24
"""Bytes of the longest message."""


@dataclass
class _Job:
    task: GameTask
    deaths: int = 0
    """Workers that died over it."""


@dataclass(frozen=True)
class _Verdict:
    """How a worker ended, and over what."""

    seed: int
    """The game that it played last; 0 for none."""
    side: Side | None
    """Whose turn it was; None: no player's."""
    termination: Termination
    reason: str
    by_others: bool = False
    """Whether the cause may lie outside: it ended by a signal that others send."""


class _Worker:
    """A worker process as the arena sees it."""

    def __init__(self, events: queue.SimpleQueue[tuple[_Worker, bytes | None]]) -> None:
        self.jobs: deque[_Job] = deque()
        """Tasks without a result, in the order in which it plays them."""
        self.ready = False
        self.verdict: _Verdict | None = None
        self._folder = TemporaryDirectory(prefix="arena-worker-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self.marker = SharedMarker(folder / "marker")
        self._errors = folder / "errors"
        with self._errors.open("wb") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", worker.COMMAND, worker.settings(folder / "marker")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **system.ONE_THREAD, **library.environment(), "PYTHONHASHSEED": "0"},
                **system.apart(),
            )
        self.process_id = self._process.pid
        self._turn, self._since = self.marker.now, time.monotonic()
        self._reader = threading.Thread(target=self._read, args=(events,), name="messages", daemon=True)
        self._reader.start()

    def give(self, job: _Job) -> None:
        """Hand it a task."""
        self.jobs.append(job)
        assert self._process.stdin is not None
        with suppress(OSError):  # it has just died; its end is on its way
            self._process.stdin.write(json.dumps(job.task.to_json()).encode() + b"\n")
            self._process.stdin.flush()

    def welcome(self) -> None:
        """It is ready. Its files go now, where the system allows, lest a killed arena leave them behind."""
        self.ready = True
        self._folder.cleanup()

    def watch(self, move_timeout: float) -> None:
        """Condemn it where a turn takes too long."""
        now, turn = time.monotonic(), self.marker.now
        if turn != self._turn or (turn.side is None and not self.jobs):
            self._turn, self._since = turn, now
        elif turn.side is not None and now - self._since > move_timeout:
            self.condemn(turn.side, Termination.TIMEOUT, f"no answer within {move_timeout:g} seconds")
        elif turn.side is None and now - self._since > PATIENCE:
            self.condemn(None, Termination.CRASH, f"nothing happened for {PATIENCE:g} seconds")
        if self._process.poll() is not None:
            self.kill()  # children that players left, which could keep its channel open

    def condemn(self, side: Side | None, termination: Termination, reason: str) -> None:
        """Kill it, with a verdict."""
        self.verdict = self.verdict or _Verdict(self.marker.seed, side, termination, reason)
        self.kill()

    def kill(self) -> None:
        """End it and all that it has started."""
        system.kill_group(self._process)

    def bury(self) -> _Verdict:
        """Its messages have ended: see to it that it is dead, and say how it ended."""
        try:
            code = self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.condemn(self.marker.now.side, Termination.CRASH, "the worker's channel was closed")
            code = self._process.wait()
        reason = f"the process ended with {system.ended(code)}"
        if not self.ready:
            reason += f"; {self._last_words()}"
        by_others = system.ended_by_others(code)
        crash = _Verdict(self.marker.seed, self.marker.now.side, Termination.CRASH, reason, by_others)
        return self.verdict or crash

    def close(self) -> None:
        """Kill it, and let go of what it held."""
        self.kill()
        self._process.wait()
        self._reader.join(GRACE)
        self.marker.close()
        assert self._process.stdin is not None
        with suppress(OSError):  # what it had not read cannot be delivered
            self._process.stdin.close()
        self._folder.cleanup()

    def _last_words(self) -> str:
        """The last line that it wrote to its standard error."""
        lines = self._errors.read_text("utf-8", "replace").splitlines()
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")

    def _read(self, events: queue.SimpleQueue[tuple[_Worker, bytes | None]]) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as messages:
            while line := messages.readline(LONGEST_LINE):
                events.put((self, line))
        events.put((self, None))


class Pool:
    """Plays tasks and yields the record of each, in the order in which the games end; None while none ends.

    ::

        with Pool(tasks, workers=2, move_timeout=60.0) as pool:
            for record in pool:
                ...

    On Linux the workers die with the thread that iterates. Raises TournamentStopped.
    """

    def __init__(self, tasks: Iterable[GameTask], workers: int, move_timeout: float) -> None:
        """``tasks`` may have none for the moment: they are asked again after each game.

        ``move_timeout``: seconds for each choice, and for construction, ``start`` and ``finish``.
        """
        self._tasks = iter(tasks)
        self._size = workers
        self._move_timeout = move_timeout
        self._waiting: deque[_Job] = deque()
        self._workers: list[_Worker] = []
        self._deaths = 0
        self._events: queue.SimpleQueue[tuple[_Worker, bytes | None]] = queue.SimpleQueue()
        self._tick = min(TICK, move_timeout / 5)
        self._next_watch = 0.0

    @property
    def processes(self) -> list[int]:
        """The ids of the worker processes."""
        return [each.process_id for each in self._workers]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Kill all workers; games under way are lost."""
        for each in self._workers:
            each.kill()
        while self._workers:
            self._workers.pop().close()

    def __iter__(self) -> Iterator[GameRecord | None]:
        while self._deal():
            yield self._next_event()
            if time.monotonic() >= self._next_watch:
                for each in self._workers:
                    each.watch(self._move_timeout)
                self._next_watch = time.monotonic() + self._tick

    def _deal(self) -> bool:
        """Hand out tasks, and start workers for them where some are missing; whether any game is under way.

        A second task goes to a worker only while there are enough for all: the last ones go to who is free.
        """
        missing = AHEAD * self._size - len(self._waiting)
        self._waiting.extend(map(_Job, islice(self._tasks, max(missing, 0))))
        for each in self._workers:
            if self._waiting and not each.jobs:
                each.give(self._waiting.popleft())
        while self._waiting and len(self._workers) < self._size:
            self._workers.append(_Worker(self._events))
            self._workers[-1].give(self._waiting.popleft())
        for each in self._workers:
            if len(self._waiting) > self._size and len(each.jobs) < AHEAD:
                each.give(self._waiting.popleft())
        return any(each.jobs for each in self._workers)

    def _next_event(self) -> GameRecord | None:
        """Wait for a message or the end of a worker; the record of the game that ended by it, if one did."""
        try:
            each, line = self._events.get(timeout=self._tick)
        except queue.Empty:
            return None
        return self._ended(each) if line is None else self._heard(each, line)

    def _heard(self, each: _Worker, line: bytes) -> GameRecord | None:
        record = None
        try:
            [(kind, value)] = json.loads(line).items()
            if kind == "record":
                record = GameRecord.from_json(value)
                if record.seed != each.jobs[0].task.seed:
                    raise ValueError("another game's record")
        except Exception:  # whatever a player may have sent in the worker's name
            each.condemn(each.marker.now.side, Termination.CRASH, "the process sent what is no message")
            return None
        if record is not None:
            self._deaths = 0
            each.jobs.popleft()
        elif kind == "ready":
            each.welcome()
        elif kind == "refused":
            raise TournamentStopped(value)
        else:
            each.condemn(None, Termination.CRASH, value)
        return record

    def _ended(self, each: _Worker) -> GameRecord | None:
        verdict = each.bury()
        moves, started = each.marker.moves, each.marker.started
        self._workers.remove(each)
        each.close()
        if not each.ready and not verdict.by_others:
            raise TournamentStopped(f"a worker cannot start: {verdict.reason}")
        self._deaths += 1
        if self._deaths == DEATHS:
            raise TournamentStopped(f"{DEATHS} workers died in a row; the last: {verdict.reason}")
        if not each.jobs:
            return None
        job = each.jobs.popleft()
        self._waiting.extendleft(reversed(each.jobs))
        begun = verdict.seed == job.task.seed
        guilty = verdict.side if begun else None
        job.deaths += begun
        if guilty is not None and (job.deaths == ATTEMPTS or not verdict.by_others):
            self._deaths = 0
            return broken_off(
                job.task,
                moves,
                started,
                guilty=guilty,
                termination=verdict.termination,
                reason=verdict.reason,
            )
        if job.deaths == ATTEMPTS:
            game = f"round {job.task.round} of {job.task.pairing}"
            raise TournamentStopped(f"{game} failed {ATTEMPTS} times, by no player's fault: {verdict.reason}")
        self._waiting.appendleft(job)
        return None
