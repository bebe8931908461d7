"""A guard: the process that carries out one order, and runs no code of players.

In *shared* mode it starts one process for both players and the referee, and passes on the record of each game. If
anything goes wrong there, the game is only suspect: the guard ends the process, plays that game again in *isolated*
mode, where each player has a process of its own and the guard is the referee, and what happens then counts. The other
games go on in a fresh shared process.

The guard ends, with everything that its players have started, when the order is done or the arena is gone.
"""

from __future__ import annotations

import os
import select
import time
from collections import Counter, deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from arena.checkers.game import Termination
from arena.errors import ArenaError
from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import Disturbance, Fault, Match
from arena.workers import messages as m
from arena.workers import system
from arena.workers.isolated import TICK, IsolatedPlayer, PlayerProcess
from arena.workers.player import BEAT

if TYPE_CHECKING:
    import socket

    from arena.checkers.move import Side
    from arena.referee.task import GameTask

ATTEMPTS = 10
"""How often a game is played whose processes are killed from outside, before a player is blamed for it."""
ALIVE = 5.0
"""Seconds between two signs of life."""
_NOTICES = 10
"""Notices of an order that are passed on."""


def main(parent: int) -> None:
    """Run in a fresh interpreter."""
    connection = system.inherited()
    system.die_with(parent)
    registry.load()
    warm_up()
    run(connection)


def run(connection: socket.socket) -> NoReturn:
    """Carry out the order that the arena sends."""
    system.start_alone()
    system.refuse_inspection()
    system.adopt_orphans()
    channel = m.Channel[m.Order](connection, m.Order)
    with suppress(EOFError, OSError):  # the arena is gone
        channel.send(m.Alive(os.getpid()))
        if (order := channel.receive()) is not None:
            try:
                _Guard(order, channel).play()
                channel.send(m.Done())
            except ArenaError as error:
                channel.send(m.Failed(str(error), refused=True))
            except Exception as error:
                channel.send(m.Failed(f"{type(error).__name__}: {error}"))
    _leave()


def _leave() -> NoReturn:
    system.end_descendants()
    os._exit(0)


class _Guard:
    def __init__(self, order: m.Order, channel: m.Channel[m.Order]) -> None:
        self._order, self._channel = order, channel
        self._start = partial(PlayerProcess, fork=system.FORKS and system.threads() == 1)
        self._last = time.monotonic()
        self._noticed: set[str] = set()

    def play(self) -> None:
        """Play all games of the order."""
        waiting = deque(self._order.tasks)
        while waiting:
            if not self._order.isolated:
                self._play_shared(waiting)
            if waiting:
                self._play_isolated(waiting.popleft())

    def _play_shared(self, waiting: deque[GameTask]) -> None:
        """Play games in one process, and remove those that have ended, until one is suspect."""
        order, process = self._order, self._start()
        patience, looked = order.move_timeout + 2 * BEAT, time.monotonic()
        deadline = looked + patience
        with suppress(m.BadMessage, EOFError, OSError):
            process.channel.send(m.Order(list(waiting), order.move_timeout, order.memory), patience)
            while (now := time.monotonic()) < deadline:
                match message := process.channel.receive(TICK):
                    case m.Notice():
                        self._notice(message)
                    case m.Played(record) if waiting and record.seed == waiting[0].seed and not record.forfeited_by:
                        waiting.popleft()
                        self._send(m.Played(record))
                    case m.Alive() | None:
                        pass
                    case _:
                        break
                if message is not None:
                    deadline = time.monotonic() + patience
                if now - looked >= TICK:
                    looked = now
                    self._tick()
                    if process.took_more(order.memory):
                        break
        self._end(process)

    def _play_isolated(self, task: GameTask) -> None:
        """Play a game with each player in a process of its own."""
        deaths: Counter[Side] = Counter()
        record = None
        while record is None:
            players = [self._start(), self._start()]
            match = Match(task, partial(self._isolated, players), lambda side: self._turn(match, side))  # noqa: B023
            try:
                record = match.play()
            except Disturbance as disturbance:
                deaths[disturbance.side] += 1
                if deaths[disturbance.side] == ATTEMPTS:
                    record = match.forfeit(disturbance.side, Fault(Termination.CRASH, disturbance.reason))
            if record is not None:
                self._send(m.Played(record))
                match.finish(record)
            self._end(*players)

    def _isolated(self, players: list[PlayerProcess], task: GameTask, side: Side) -> IsolatedPlayer:
        timeout, memory = self._order.move_timeout, self._order.memory
        create = partial(IsolatedPlayer, move_timeout=timeout, memory=memory, tick=self._tick, notice=self._notice)
        return create(task, side, players[side])

    def _turn(self, match: Match, side: Side) -> None:
        """Tell the arena what to record if this process is killed in the turn of ``side``."""
        if self._order.suspect:
            fault = Fault(Termination.CRASH, f"the guard of the game was killed {ATTEMPTS} times in its turn")
            self._send(m.Played(match.forfeit(side, fault), final=False))

    def _tick(self) -> None:
        """Leave if the arena is gone, and tell it now and then that this process is alive."""
        if select.select([self._channel], [], [], 0.0)[0]:  # the arena sends nothing more: it is gone
            _leave()
        if time.monotonic() - self._last > ALIVE:
            self._send(m.Alive())

    def _notice(self, notice: m.Notice) -> None:
        if len(self._noticed) < _NOTICES and notice.text not in self._noticed:
            self._noticed.add(notice.text)
            self._send(notice)

    def _send(self, message: m.Message) -> None:
        self._last = time.monotonic()
        try:
            self._channel.send(message)
        except OSError:
            _leave()

    def _end(self, *players: PlayerProcess) -> None:
        for process in players:
            process.end()
        system.end_descendants()
