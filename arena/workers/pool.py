"""Plays games in worker processes, whatever the players do to them.

The pool hands out *orders*, games of one pairing that take about a second, each to a guard of its own
(:mod:`arena.workers.guard`). A guard deals with everything that happens to the processes of the players.
So the pool deals with the death of guards alone:

- Records that have arrived stand, and games that had not started wait again.
- The game under way is *suspect*. It is played again with nothing else running meanwhile, each player in a process of
  its own, and the guard reports each turn. If its guard is killed ten times in the turn of one player, that player
  forfeits; if no turn had started, the tournament stops.
"""

from __future__ import annotations

import select
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from typing import TYPE_CHECKING, Self

import psutil

from arena.errors import TournamentStopped
from arena.interrupts import check_interrupt
from arena.workers import messages as m
from arena.workers import system
from arena.workers.guard import ATTEMPTS
from arena.workers.isolated import MEMORY, PATIENCE, TICK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask
    from arena.workers.launcher import Launcher

AIM, AIM_WITHOUT_FORKS = 1.0, 10.0
"""Seconds of play that an order should take, with processes that are forked and with interpreters."""
FIRST, MOST = 2, 1000
"""Games of an order if none has been timed yet, and at most."""
AHEAD = 10_000
"""Tasks that are taken ahead, at most, to find games of one pairing."""
DEATHS = 30
"""Guards in a row that may be killed, for each worker, without any game that ends between them."""
SILENCE = 60.0
"""Seconds after which a guard that has sent nothing, not even that it is alive, is killed."""


@dataclass
class _Game:
    task: GameTask
    deaths: Counter[str | None] = field(default_factory=Counter)
    """Guards that died over it, by the side to move; None if that is unknown."""


class _Running:
    """An order under way."""

    def __init__(self, games: list[_Game], channel: m.Channel[m.FromGuard], suspect: bool) -> None:
        self.pairing = games[0].task.pairing
        self.games = deque(games)
        """Those without a record, in the order in which they are played."""
        self.number = len(games)
        self.channel = channel
        self.suspect = suspect
        self.process: int | None = None
        self.unfinished: GameRecord | None = None
        """The record if the guard dies now."""
        self.reason = "its guard was killed"
        self.started = self.latest = time.monotonic()


class Pool:
    """Plays tasks and yields the record of each, in the order in which the games end; None while none ends.

    ::

        with Launcher() as launcher, Pool(tasks, 2, launcher, move_timeout=60.0) as pool:
            for record in pool:
                ...

    The workers end when this process does, however it ends. Raises TournamentStopped.
    """

    def __init__(
        self,
        tasks: Iterable[GameTask],
        workers: int,
        launcher: Launcher,
        *,
        move_timeout: float,
        memory: int = MEMORY,
        isolate: bool = False,
    ) -> None:
        """``tasks`` may have none for the moment: they are asked again after each game.

        ``move_timeout``: seconds for each choice, and for construction, ``start`` and ``finish``; ``memory``: what
        each player may take besides what any worker does, in MB; ``isolate``: whether each player always has a process
        of its own.
        """
        self._tasks = iter(tasks)
        self._workers = workers
        self._launcher = launcher
        self._move_timeout, self._memory, self._isolate = move_timeout, memory << 20, isolate
        self._waiting: dict[str, deque[_Game]] = {}
        """Games to be played, by pairing."""
        self._suspects: deque[_Game] = deque()
        self._running: list[_Running] = []
        self._seconds: dict[str, float] = {}
        """How long a game of a pairing takes, and of any pairing at the empty name."""
        self._shown: set[str] = set()
        self._deaths = 0
        """Guards that died since a game ended."""

    @property
    def processes(self) -> list[int]:
        """The ids of the guards."""
        return [order.process for order in self._running if order.process is not None]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End all guards; games under way are lost."""
        for order in self._running:
            order.channel.close()

    def __iter__(self) -> Iterator[GameRecord | None]:
        while self._hand_out():
            check_interrupt()
            readable = select.select([order.channel for order in self._running], [], [], TICK)[0]
            yield None
            for order in list(self._running):
                if order.channel in readable:
                    yield from self._received(order)
                elif self._is_silent(order):
                    yield from self._given_up(order)

    def _hand_out(self) -> bool:
        """Start orders for workers that are free; whether there is any under way."""
        while len(self._running) < self._workers and not any(order.suspect for order in self._running):
            if self._suspects:
                if self._running:
                    break
                self._begin([self._suspects.popleft()], suspect=True)
            elif games := self._next_games():
                self._begin(games, suspect=False)
            else:
                break
        return bool(self._running)

    def _begin(self, games: list[_Game], suspect: bool) -> None:
        tasks = [game.task for game in games]
        channel = self._launcher.guard(tasks[0])
        with suppress(OSError):  # the guard has died, as the end of the channel tells
            channel.send(m.Order(tasks, self._move_timeout, self._memory, self._isolate or suspect, suspect))
        self._running.append(_Running(games, channel, suspect))

    def _next_games(self) -> list[_Game]:
        """Games of the pairing whose next game comes first; of few that are left, every worker gets some."""
        waiting = self._waiting
        if not waiting:
            self._take()
        pairing = min(waiting, key=lambda each: waiting[each][0].task.round, default=None)
        if pairing is None:
            return []
        aim = AIM if system.FORKS else AIM_WITHOUT_FORKS
        seconds = self._seconds.get(pairing, self._seconds.get("", aim / FIRST))
        wanted = max(1, min(int(aim / seconds), MOST))
        total = sum(map(len, waiting.values()))
        while len(waiting[pairing]) < wanted and total < AHEAD and self._take():
            total += 1
        games = waiting[pairing]
        if len(games) < wanted:
            wanted = ceil(total / (2 * self._workers))
        chosen = [games.popleft() for _ in range(min(wanted, len(games)))]
        if not games:
            del waiting[pairing]
        return chosen

    def _take(self) -> bool:
        """Take another task; whether there is one."""
        task = next(self._tasks, None)
        if task is not None:
            self._waiting.setdefault(task.pairing, deque()).append(_Game(task))
        return task is not None

    def _received(self, order: _Running) -> Iterator[GameRecord]:
        """The records among what a guard has sent."""
        try:
            while (message := order.channel.receive(0.0)) is not None:
                order.latest = time.monotonic()
                match message:
                    case m.Played(record, final=True):
                        order.games.popleft()
                        self._deaths = 0
                        yield record
                    case m.Played(record):
                        order.unfinished = record
                    case m.Alive(process) if process:
                        order.process = process
                        self._launcher.started = True
                        self._launcher.guards.add(process)
                    case m.Notice(text):
                        self._say(text)
                    case m.Failed(reason, refused=True):
                        raise TournamentStopped(reason)
                    case m.Failed(reason, threads=True):
                        self._launcher.forks = False
                        self._say(f"slower, as processes cannot be forked: {reason} at import (start none there)")
                        raise EOFError
                    case m.Failed(reason):
                        order.reason = reason
                        raise EOFError
                    case m.Done():
                        self._end(order)
                        seconds = (time.monotonic() - order.started) / order.number
                        self._seconds[""] = self._seconds[order.pairing] = seconds
                        return
        except (EOFError, m.BadMessage):
            yield from self._given_up(order)

    def _say(self, text: str) -> None:
        if text not in self._shown:
            self._shown.add(text)
            self._launcher.say(text)

    def _is_silent(self, order: _Running) -> bool:
        """Whether the guard has sent nothing for so long that it will be killed."""
        started = order.process is not None or self._launcher.started
        return time.monotonic() - order.latest > (SILENCE if started else PATIENCE)

    def _given_up(self, order: _Running) -> Iterator[GameRecord]:
        """The guard has died, or is killed now: what becomes of its games, and the record of one that is lost by it."""
        if order.process is not None:
            with suppress(psutil.Error):
                psutil.Process(order.process).kill()
        elif self._is_silent(order):
            order.reason = "it did not start"
            self._launcher.replace()
        else:
            self._launcher.check()
        self._end(order)
        self._deaths += 1
        if self._deaths == DEATHS * self._workers:
            raise TournamentStopped(f"{self._deaths} workers died in a row; the last: {order.reason}")
        if not order.games:
            return
        game = order.games.popleft() if order.process is not None else None
        if order.games:
            self._waiting.setdefault(order.games[0].task.pairing, deque()).extendleft(reversed(order.games))
        if game is None:
            return
        record = order.unfinished
        side = None if record is None else record.forfeited_by
        game.deaths[side] += 1
        if game.deaths[side] < ATTEMPTS:
            self._suspects.append(game)
        elif record is not None:
            yield record
        else:
            which = f"round {game.task.round} of {game.task.pairing}"
            raise TournamentStopped(f"{which} failed {ATTEMPTS} times, by no player's fault: {order.reason}")

    def _end(self, order: _Running) -> None:
        order.channel.close()
        self._running.remove(order)
        if order.process is not None:
            self._launcher.guards.discard(order.process)
