"""Plays games in worker processes, whatever the players do to them.

Each worker holds the game that it plays and one that waits, so that it never idles; of short games some more, so that
their records are heard several at a time. A worker ends when it dies by itself or is
*condemned*: killed, with a verdict, because a turn took too long, it took too much memory, it sent what is no message,
or a player forfeited in it. Either way its end is dealt with once, after everything that it had sent:

- A game whose record had arrived stands.
- A game that went wrong is played again, with each player in a process of its own
  (:mod:`arena.tournament.apart`): one player cannot do anything to the other there, and what happens then counts.
  Where processes cannot be forked, whose turn it was forfeits at once.
- A game that ended in no player's turn, or by a signal that others send (a user, a system short of memory),
  is played again from its beginning, and from the third time on with each player apart. If this then happens to it ten
  times in the turn of one player, that player forfeits; if it was nobody's turn, the tournament stops. It stops too
  when many workers die and no game ends.
- When the keeper is killed time and again, and no game ends, there is one worker at a time, so that it is clear whose
  game that was.
- The tasks that waited go back to the front of the others.
- Another worker takes its place. One that cannot start, or a task that nobody can play, stops the tournament.

Memory does not grow with the number of tasks: they are taken from their iterator as they are needed.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Self

from arena.checkers.game import Termination
from arena.checkers.move import SIDES
from arena.errors import TournamentStopped
from arena.scoresheet import broken_off
from arena.tournament import messages, processes, system
from arena.tournament.apart import GRACE, TICK
from arena.tournament.marker import SharedMarker
from arena.tournament.pace import FEWEST, Pace
from arena.tournament.processes import ATTEMPTS, DEATHS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.checkers.move import Side
    from arena.record import GameRecord
    from arena.task import GameTask

    Events = queue.SimpleQueue[tuple["_Worker", bytes | None]]
    """What workers said, whole lines, and None at the end of what one says."""

MEMORY = 2048
"""MB that a player may take unless told otherwise."""
_CHUNK = 1 << 18
"""Bytes that are read of a worker's messages at a time."""
_AHEAD = 16
"""So often what was read of a worker's messages may wait to be heard."""
SHARED_ATTEMPTS = 3
"""How often a game that somebody else broke off is begun before its players are played apart."""


@dataclass
class _Job:
    task: GameTask
    deaths: Counter[Side | None] = field(default_factory=Counter)
    """Workers that died over it, by whose turn it was."""
    apart: bool = False
    """Whether each player is to have a process of its own."""


@dataclass(frozen=True)
class _Verdict:
    """How a worker ended, and over what."""

    seed: int
    """The game in which it went wrong; 0 for none."""
    side: Side | None
    """Whose turn it was; None: no player's."""
    termination: Termination
    reason: str
    by_others: bool = False
    """Whether the cause may lie outside: it ended by a signal that others send."""


class _Worker:
    """A worker process as the arena sees it."""

    def __init__(self, starter: processes.Starter, events: Events, pace: Pace) -> None:
        self.jobs: deque[_Job] = deque()
        """Tasks without a result, in the order in which it plays them."""
        self.ready = False
        self.retiring = False
        """Whether it ends with the game that it plays."""
        self.silenced = False
        """Whether something that it said has condemned it, so that nothing that it says counts any more."""
        self._room = threading.Semaphore(_AHEAD)
        self.verdict: _Verdict | None = None
        self._welcomes = 0
        self._orders: list[str] = []
        self._largest = 1
        """Bytes of the largest order so far."""
        self._folder = TemporaryDirectory(prefix="arena-worker-", ignore_cleanup_errors=True)
        marker = Path(self._folder.name, "marker")
        self.marker = SharedMarker(marker)
        inbox, orders = os.pipe()
        said, outbox = os.pipe()
        self._pace = pace if system.widen(said) and system.widen(orders) else None
        """None where its channels are too narrow for more than it needs."""
        self._inbox, self._messages = os.fdopen(orders, "wb"), os.fdopen(said, "rb", buffering=0)
        try:
            self.process = starter.start(marker, inbox, outbox)
        except BaseException:
            self._let_go()
            self._messages.close()
            raise
        finally:
            os.close(inbox)
            os.close(outbox)
        self._memory: int | None = None
        self._turn, self._since = self.marker.now, time.monotonic()
        self._reader = threading.Thread(target=self._read, args=(events,), name="messages", daemon=True)
        self._reader.start()

    def takes(self, job: _Job, ahead: int) -> bool:
        """Whether it may be handed that task too, where workers hold so many; one whose players are apart needs a
        worker of its own.
        """
        if self.retiring or job.apart:
            return False
        most = FEWEST if self._pace is None else min(ahead, system.PIPE // 4 // self._largest)
        return len(self.jobs) < max(most, FEWEST)

    def give(self, job: _Job, memory: int) -> None:
        """Have a task, in which each player may take so many bytes of memory, ready to :meth:`send` it."""
        self.jobs.append(job)
        self.retiring = job.apart
        self._orders.append(messages.Order(job.task, memory, job.apart).text)
        self._largest = max(self._largest, len(self._orders[-1]))

    def send(self) -> None:
        """Hand it what it was given."""
        with suppress(OSError):  # it has just died; its end is on its way
            self._inbox.write(("\t".join(self._orders) + "\n").encode())
            self._inbox.flush()
        self._orders.clear()

    def welcome(self, memory: int | None) -> None:
        """It is ready, with so many bytes of memory taken. Raises ValueError where that can be no such message.

        Some more are not heard: workers that killed keepers had started might have said it before this one.
        Its files go now, where the system allows, lest a killed arena leave them behind.
        """
        self._welcomes += 1
        if type(memory) not in (int, type(None)) or self._welcomes > DEATHS:
            raise ValueError(memory)
        if not self.ready:
            self.ready = True
            self._memory = memory
            self._folder.cleanup()

    def watch(self, move_timeout: float, memory: int) -> None:
        """Condemn it where a turn takes too long, or it has taken more memory than so many bytes."""
        now, turn = time.monotonic(), self.marker.now
        if turn != self._turn or (turn.side is None and not self.jobs):
            self._turn, self._since = turn, now
        elif turn.side is not None and now - self._since > move_timeout:
            self.condemn(self.marker.seed, turn.side, Termination.TIMEOUT, f"no answer within {move_timeout:g} seconds")
        elif turn.side is None and now - self._since > processes.PATIENCE:
            reason = f"nothing happened for {processes.PATIENCE:g} seconds"
            self.condemn(self.marker.seed, None, Termination.CRASH, reason)
        if system.taken(self.process.id, self._memory) > memory:
            reason = f"the process took more than {memory >> 20} MB of memory"
            self.condemn(self.marker.seed, turn.side, Termination.MEMORY, reason)
        if self.process.code() is not None:
            self.kill()  # children that players left, which could keep its channel open

    def condemn(self, seed: int, side: Side | None, termination: Termination, reason: str, **how: bool) -> None:
        """Kill it, with a verdict over the game of that seed."""
        self.verdict = self.verdict or _Verdict(seed, side, termination, reason, **how)
        self.kill()

    def condemn_over_message(
        self, side: Side | None, termination: Termination, reason: str, *, by_others: bool = False
    ) -> None:
        """Kill it for what it said about its oldest game: when that is heard it may be at a later one."""
        self.silenced = True
        seed = self.jobs[0].task.seed if self.jobs else 0
        self.condemn(seed, side, termination, reason, by_others=by_others)

    @property
    def side_at_oldest(self) -> Side | None:
        """Whose turn it is in its oldest game; None where it is at a later one."""
        return self.marker.now.side if self.jobs and self.marker.seed == self.jobs[0].task.seed else None

    def was_heard(self) -> None:
        """Something that was read of its messages waits no longer."""
        self._room.release()

    def kill(self) -> None:
        """End it and all that it has started."""
        self.process.kill()

    def bury(self, last_words: Callable[[], str]) -> _Verdict:
        """Its messages have ended: see to it that it is dead, and say how it ended."""
        code = self.process.code(GRACE)
        if code is None:
            reason = "the worker's channel was closed"
            self.condemn(self.marker.seed, self.marker.now.side, Termination.CRASH, reason)
            code = self.process.end()
        reason = f"the process ended with {system.ended(code)}"
        if not self.ready:
            reason += f"; {last_words()}"
        by_others = system.ended_by_others(code)
        crash = _Verdict(self.marker.seed, self.marker.now.side, Termination.CRASH, reason, by_others)
        return self.verdict or crash

    def close(self) -> None:
        """Kill it, and let go of what it held."""
        self.process.end()
        self.silenced = True
        self.was_heard()  # by nobody any more: its reader may wait for that
        self._reader.join(GRACE)
        self._let_go()

    def _let_go(self) -> None:
        self.marker.close()
        with suppress(OSError):  # what it had not read cannot be delivered
            self._inbox.close()
        self._folder.cleanup()

    def _read(self, events: Events) -> None:
        """Hand on what it says, in whole lines; what has no end at its death was no message."""
        with self._messages as channel:
            begun = b""
            while said := channel.read(_CHUNK):
                end = said.rfind(b"\n") + 1
                lines, begun = (begun + said[:end], said[end:]) if end else (b"", begun + said)
                if len(begun) > messages.LONGEST:
                    lines, begun = b"\n", b""
                if lines and not self.silenced:
                    self._room.acquire()
                    events.put((self, lines))
                if self._pace and len(said) < _CHUNK:
                    system.wait_for_end(channel.fileno(), self._pace.rest(len(self.jobs)))
        events.put((self, None))


class Pool:
    """Plays tasks and yields the record of each, in the order in which the games end; None while none ends.

    ::

        with starter() as start, Pool(tasks, 2, start, move_timeout=60.0) as pool:
            for record in pool:
                ...

    The workers end when this process does, however it ends. Raises TournamentStopped.
    """

    def __init__(
        self,
        tasks: Iterable[GameTask],
        workers: int,
        starter: processes.Starter,
        *,
        move_timeout: float,
        memory: int = MEMORY,
    ) -> None:
        """``tasks`` may have none for the moment: they are asked again after each game.

        ``move_timeout``: seconds for each choice, and for construction, ``start`` and ``finish``; ``memory``: what
        each player may take besides what any worker does, in MB, as far as the system tells.
        """
        self._tasks = iter(tasks)
        self._size = workers
        self._move_timeout = move_timeout
        self._memory = memory << 20
        self._waiting: deque[_Job] = deque()
        self._workers: list[_Worker] = []
        self._starter = starter
        self._deaths = 0
        self._bereft = 0
        """Workers lost with their keeper since a game ended."""
        self._events: Events = queue.SimpleQueue()
        self._tick = min(TICK, move_timeout / 5)
        self._next_watch = 0.0
        self._pace = Pace(workers)

    @property
    def _alone(self) -> bool:
        """Whether there is to be one worker at a time."""
        return self._bereft >= SHARED_ATTEMPTS * self._size

    @property
    def processes(self) -> list[int]:
        """The ids of the worker processes."""
        return [each.process.id for each in self._workers]

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
            yield from self._next_events()
            if time.monotonic() >= self._next_watch:
                for each in self._workers:
                    each.watch(self._move_timeout, self._memory)
                self._next_watch = time.monotonic() + self._tick

    def _deal(self) -> bool:
        """Hand out tasks, and start workers for them where some are missing; whether there is any.

        Who has none comes first, if need be a new worker; then each gets a fair share of a half of those that are
        there: the last ones go to who is free.
        """
        ahead = self._pace.ahead
        missing = (2 * ahead + 1) * self._size - len(self._waiting)
        self._waiting.extend(map(_Job, islice(self._tasks, max(missing, 0))))
        while self._waiting and (each := self._next_taker(ahead)):
            each.give(self._waiting.popleft(), self._memory)
            while self._plenty_for(each) and each.takes(self._waiting[0], ahead):
                each.give(self._waiting.popleft(), self._memory)
            each.send()
        return bool(self._waiting) or any(each.jobs for each in self._workers)

    def _next_taker(self, ahead: int) -> _Worker | None:
        """Who is handed the next task; None where nobody is for the moment."""
        takers = [each for each in self._workers if each.takes(self._waiting[0], ahead)]
        idlest = min(takers, key=lambda each: len(each.jobs), default=None)
        if idlest and not idlest.jobs:
            return idlest
        if len(self._workers) < (1 if self._alone else self._size):
            self._workers.append(_Worker(self._starter, self._events, self._pace))
            return self._workers[-1]
        return idlest if idlest and self._plenty_for(idlest) else None

    def _plenty_for(self, each: _Worker) -> bool:
        """Whether so many tasks wait that it may have one more, though it has some."""
        return len(self._waiting) > 2 * self._size * len(each.jobs)

    def _next_events(self) -> Iterator[GameRecord | None]:
        """Wait for messages or the end of a worker; the records of the games that ended by it, None where none did."""
        try:
            each, lines = self._events.get(timeout=self._tick)
        except queue.Empty:
            yield None
            return
        if lines is None:
            yield self._ended(each)
        else:
            for line in BytesIO(lines):
                if each.silenced:
                    break
                yield self._heard(each, line)
            each.was_heard()

    def _heard(self, each: _Worker, line: bytes) -> GameRecord | None:
        try:
            kind, said = messages.heard(line)
            if kind == "record":
                return self._finished(each, messages.recorded(each.jobs[0].task, said))
            value = json.loads(said)
            if kind == "ready":
                each.welcome(value)
                return None
            if kind == "refused" and not _in_doubt(each.jobs[0]):
                raise TournamentStopped(str(value))
            if kind == "disturbed":
                side, reason = value
                each.condemn_over_message(SIDES[side], Termination.CRASH, str(reason), by_others=True)
                return None
        except TournamentStopped:
            raise
        except Exception:  # whatever a player may have sent in the worker's name
            reason = "the process sent what is no message"
            each.condemn_over_message(each.side_at_oldest, Termination.CRASH, reason)
            return None
        each.condemn_over_message(None, Termination.CRASH, str(value))
        return None

    def _finished(self, each: _Worker, record: GameRecord) -> GameRecord | None:
        """The record of its oldest game, if it stands."""
        if record.guilty and _in_doubt(each.jobs[0]):
            side = next(side for side in SIDES if str(side) == record.guilty)
            each.condemn_over_message(side, Termination(record.termination), record.reason or "")
            return None
        self._deaths = self._bereft = 0
        self._pace.count()
        each.jobs.popleft()
        return record

    def _ended(self, each: _Worker) -> GameRecord | None:
        verdict = each.bury(self._starter.last_words)
        codes, started = each.marker.codes, each.marker.started
        self._workers.remove(each)
        each.close()
        if not each.ready and not verdict.by_others:
            raise TournamentStopped(f"a worker cannot start: {verdict.reason}")
        if not each.jobs:
            return None
        self._deaths += 1
        if self._deaths == DEATHS * self._size:
            raise TournamentStopped(f"{self._deaths} workers died in a row; the last: {verdict.reason}")
        job = each.jobs.popleft()
        self._waiting.extendleft(reversed(each.jobs))
        begun = verdict.seed == job.task.seed
        guilty = verdict.side if begun else None
        alone = self._alone
        self._bereft += each.process.bereft
        if begun and (alone or not job.apart or not each.process.bereft):
            job.deaths[guilty] += 1
        deaths = job.deaths[guilty]
        if guilty is not None and not _in_doubt(job) and (deaths == ATTEMPTS or not verdict.by_others):
            self._deaths = self._bereft = 0
            return broken_off(
                job.task,
                codes,
                started,
                guilty=guilty,
                termination=verdict.termination,
                reason=verdict.reason,
            )
        if guilty is None and deaths == ATTEMPTS:
            game = f"round {job.task.round} of {job.task.pairing}"
            raise TournamentStopped(f"{game} failed {ATTEMPTS} times, by no player's fault: {verdict.reason}")
        if not job.apart and begun and system.FORKS:
            job.apart = not verdict.by_others or alone or job.deaths.total() >= SHARED_ATTEMPTS
            if job.apart:
                job.deaths.clear()
        self._waiting.appendleft(job)
        return None


def _in_doubt(job: _Job) -> bool:
    """Whether what goes wrong in a game can have been the doing of the other player, and there is a way to know."""
    return system.FORKS and not job.apart
