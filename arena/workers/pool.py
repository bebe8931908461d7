"""Plays the games of tasks in worker processes, in spite of failures of players and processes.

The pool gives *orders*, a few seconds of games of one pairing, to guards (:mod:`arena.workers.guard`). A guard handles
all failures of player processes. The pool handles the death of guards:

- Records that have arrived count. All other games of the order are played again.
- The first of them is *suspect*. It is played in isolated mode, while no other game runs, and its guard announces each
  turn. If ten guards die in one game, the player to move at the last death forfeits. If no turn had been announced,
  the tournament stops.
"""

from __future__ import annotations

import select
import time
from collections import Counter, deque
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Self

from arena.errors import TournamentStopped
from arena.interrupts import check_interrupt
from arena.workers import MEMORY
from arena.workers import messages as m
from arena.workers.isolated import TICK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask
    from arena.workers.launcher import Launcher

ORDER_GAMES = 300
"""Maximum number of games in an order."""
LOOKAHEAD = 10_000
"""Maximum number of tasks that wait in the pool, among which it finds games of one pairing."""
ATTEMPTS = 10
"""Number of deaths of guards in one game before a player forfeits the game or the tournament stops."""
SILENCE = 300.0
"""Seconds without any message of a guard after which the tournament stops."""


@dataclass
class _Order:
    """An order that a guard carries out."""

    tasks: deque[GameTask]
    """Tasks of the games without a record, in the sequence of play."""
    channel: m.Channel
    last_message: float = field(default_factory=time.monotonic)
    """Time of the last message from the guard."""
    provisional: GameRecord | None = None
    """The last one that the guard has sent; see :class:`~arena.workers.messages.Progress`."""


class Pool:
    """Plays the games of tasks and yields their records as the games end. It also yields None several times a second.

    ::

        with Launcher() as launcher, Pool(tasks, 2, launcher, move_timeout=60.0) as pool:
            for record in pool:
                ...

    The worker processes end when this process ends. Iteration raises TournamentStopped if games cannot be played.
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
        """``tasks`` may be exhausted and have more tasks later; the pool asks again before each order.

        ``move_timeout``: seconds for each call of a player's constructor, ``start``, ``choose`` and ``finish``.
        ``memory``: limit of each player process, in MB. ``isolate``: play all games in isolated mode.
        """
        self._tasks = iter(tasks)
        self._workers, self._launcher = workers, launcher
        self._move_timeout, self._memory, self._isolate = move_timeout, memory << 20, isolate
        self._waiting: list[GameTask] = []
        """Tasks that are not in an order."""
        self._deaths: Counter[int] = Counter()
        """Number of guards that died in each suspect game, by the seed of the game."""
        self._running: list[_Order] = []
        self._lines: set[str] = set()
        """Lines that the user has seen."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Let all guards end. Their unfinished games have no record."""
        for order in self._running:
            order.channel.close()

    def __iter__(self) -> Iterator[GameRecord | None]:
        while self._start_orders():
            check_interrupt()
            readable = select.select([order.channel for order in self._running], [], [], TICK)[0]
            yield None
            for order in list(self._running):
                if order.channel in readable:
                    yield from self._received(order)
                elif time.monotonic() - order.last_message > SILENCE:
                    raise TournamentStopped(f"a worker has not answered for {SILENCE:g} seconds")

    def _start_orders(self) -> bool:
        """Start an order for each free worker, and return whether any order is running. A suspect game runs alone."""
        while len(self._running) < (1 if self._deaths else self._workers):
            tasks = self._next_tasks()
            if not tasks:
                break
            suspect = tasks[0].seed in self._deaths
            channel = self._launcher.start_guard(tasks[0])
            with suppress(OSError):  # the guard has died, which the next receive notices
                channel.send(m.Order(tasks, self._move_timeout, self._memory, self._isolate or suspect, suspect))
            self._running.append(_Order(deque(tasks), channel))
        return bool(self._running)

    def _next_tasks(self) -> list[GameTask]:
        """Return tasks for an order: a suspect game, or games of the pairing with the lowest next round.

        Near the end, orders become smaller, so that every worker gets one.
        """
        self._waiting += islice(self._tasks, max(LOOKAHEAD - len(self._waiting), 0))
        if self._deaths:
            tasks = [task for task in self._waiting if task.seed in self._deaths][:1]
        else:
            pairing = min(self._waiting, key=lambda task: task.round).pairing if self._waiting else ""
            size = min(ORDER_GAMES, ceil(len(self._waiting) / (2 * self._workers)))
            tasks = [task for task in self._waiting if task.pairing == pairing][:size]
        chosen = {task.seed for task in tasks}
        self._waiting = [task for task in self._waiting if task.seed not in chosen]
        return tasks

    def _received(self, order: _Order) -> Iterator[GameRecord]:
        """Handle all messages that a guard has sent, and yield the final records."""
        try:
            while (progress := order.channel.receive(0.0)) is not None:
                order.last_message = time.monotonic()
                order.provisional = progress.provisional or order.provisional
                for line in progress.lines:
                    if line not in self._lines:
                        self._lines.add(line)
                        self._launcher.say(line)
                for record in progress.records:
                    yield self._final(record, order)
                if progress.error is not None:
                    raise TournamentStopped(progress.error)
                if progress.done:
                    self._end(order)
                    return
        except OSError:
            yield from self._guard_died(order)

    def _guard_died(self, order: _Order) -> Iterator[GameRecord]:
        """Let the unfinished games be played again, or yield a forfeit if guards have died too often in this game."""
        self._launcher.remove_ended()
        if order.tasks:
            task = order.tasks[0]
            self._deaths[task.seed] += 1
            if self._deaths[task.seed] == ATTEMPTS:
                if order.provisional is None:
                    game = f"round {task.round} of {task.pairing}"
                    raise TournamentStopped(f"{game} failed {ATTEMPTS} times, by no player's fault")
                yield self._final(order.provisional, order)
        self._end(order)

    def _final(self, record: GameRecord, order: _Order) -> GameRecord:
        order.tasks.popleft()
        self._deaths.pop(record.seed, None)
        return record

    def _end(self, order: _Order) -> None:
        order.channel.close()
        self._running.remove(order)
        self._waiting[:0] = order.tasks
