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
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import msgspec
import psutil

from arena.checkers.game import Termination
from arena.checkers.move import Side
from arena.errors import ArenaError
from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import Disturbance, Fault, Match
from arena.workers import messages as m
from arena.workers import system
from arena.workers.isolated import IsolatedPlayer, PlayerProcess
from arena.workers.player import BEAT

if TYPE_CHECKING:
    import socket

    from arena.referee.task import GameTask

_NOTICES = 10
"""Notices of an order that are passed on."""


def main(connection: socket.socket) -> NoReturn:
    """Run in a fresh interpreter."""
    registry.load()
    warm_up()
    run(connection)


def run(connection: socket.socket) -> NoReturn:
    """Carry out the order that the arena sends."""
    system.start_supervisor()
    channel = m.Channel(connection, m.Order)
    with suppress(EOFError, OSError):  # the arena is gone
        channel.send(m.Alive())
        if order := channel.receive():
            try:
                _Guard(order, channel).play()
                channel.send(m.Done())
            except ArenaError as error:
                channel.send(m.Failed(str(error), "task"))
            except Exception as error:
                channel.send(m.Failed(f"{type(error).__name__}: {error}", "error"))
    _leave()


def _leave() -> NoReturn:
    system.end_descendants()
    os._exit(0)


class _Guard:
    def __init__(self, order: m.Order, channel: m.Channel) -> None:
        self._order, self._channel = order, channel
        self._deadline = time.monotonic() + order.seconds
        self._forks = system.FORKS and psutil.Process().num_threads() == 1
        self._processes: list[PlayerProcess] = []
        self._notices = 0

    def play(self) -> None:
        """Play the games of the order, as many as there is time for."""
        waiting = deque(self._order.tasks)
        while waiting and (left := self._deadline - time.monotonic()) > 0:
            if self._order.isolated or not self._play_shared(waiting, left):
                self._play_isolated(waiting.popleft())

    def _play_shared(self, waiting: deque[GameTask], seconds: float) -> bool:
        """Play games in one process, and remove those that have ended; False if the next one is suspect."""
        process, patience, message = self._start(), self._order.move_timeout + 2 * BEAT, None
        with suppress(Fault, Disturbance):
            order = msgspec.structs.replace(self._order, tasks=list(waiting), seconds=seconds)
            message = process.ask(order, patience)
            while not isinstance(message, m.Done):
                if isinstance(message, m.Played):
                    record = message.record
                    if not waiting or record.forfeited_by or record.seed != waiting[0].seed:
                        break
                    waiting.popleft()
                    self._send(message)
                message = process.receive(patience)
        self._end()
        return not waiting or isinstance(message, m.Done)

    def _play_isolated(self, task: GameTask) -> None:
        """Play a game with each player in a process of its own."""
        mover = Side.BLACK

        def create(task: GameTask, side: Side) -> IsolatedPlayer:
            return IsolatedPlayer(task, side, self._start(), self._order.move_timeout)

        def turn(side: Side) -> None:
            nonlocal mover
            mover = side
            if self._order.suspect:
                unfinished("the guard of the game was killed in its turn each time")

        def unfinished(reason: str) -> None:
            self._send(m.Played(match.forfeit(mover, Fault(Termination.CRASH, reason)), final=False))

        match = Match(task, create, turn)
        try:
            record = match.play()
        except Disturbance as disturbance:
            unfinished(disturbance.reason)
            _leave()
        self._send(m.Played(record))
        match.finish(record)
        self._end()

    def _start(self) -> PlayerProcess:
        process = PlayerProcess(self._order.memory, fork=self._forks, tick=self._tick, notice=self._notice)
        self._processes.append(process)
        return process

    def _end(self) -> None:
        for process in self._processes:
            process.channel.close()
        self._processes.clear()
        system.end_descendants()

    def _tick(self) -> None:
        """Leave if the arena is gone, else tell it that this process is alive."""
        if select.select([self._channel], [], [], 0.0)[0]:  # the arena sends nothing more: it is gone
            _leave()
        self._send(m.Alive())

    def _notice(self, notice: m.Notice) -> None:
        self._notices += 1
        if self._notices <= _NOTICES:
            self._send(notice)

    def _send(self, message: m.Message) -> None:
        try:
            self._channel.send(message)
        except OSError:
            _leave()
