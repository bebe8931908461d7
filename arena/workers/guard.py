"""A guard: the process that supervises the games of one order. It runs no code of players.

In *shared* mode, it starts one player process for all games and passes on their records. If a game fails there, a
forfeit included, it is not clear which player caused the failure. The guard kills the process and plays this game again
in *isolated* mode, where the result counts. A new shared process plays the other games.

When the order is done, or the arena has ended, the guard kills all processes that its players have started, and ends.
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
from arena.workers.player import ALIVE_INTERVAL

if TYPE_CHECKING:
    import socket

    from arena.referee.task import GameTask

_NOTICES = 10
"""Maximum number of notices that a guard passes on."""


def main(connection: socket.socket) -> NoReturn:
    """Run a guard in a new interpreter, if processes cannot be forked."""
    registry.load()
    warm_up()
    run(connection)


def run(connection: socket.socket) -> NoReturn:
    """Receive an order from the arena, play its games and end."""
    system.start_supervisor()
    channel = m.Channel(connection, m.Order)
    with suppress(EOFError, OSError):  # the arena has ended
        channel.send(m.Alive())
        if order := channel.receive():
            try:
                _Guard(order, channel).play()
                channel.send(m.Done())
            except ArenaError as error:
                channel.send(m.Failed(str(error), "task"))
            except Exception as error:
                channel.send(m.Failed(f"{type(error).__name__}: {error}", "error"))
    _end()


def _end() -> NoReturn:
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
        """Play games of the order until all are played or its time is over."""
        tasks = deque(self._order.tasks)
        while tasks and (seconds := self._deadline - time.monotonic()) > 0:
            if self._order.isolated or not self._play_shared(tasks, seconds):
                self._play_isolated(tasks.popleft())

    def _play_shared(self, tasks: deque[GameTask], seconds: float) -> bool:
        """Play games in one process and remove their tasks. If a game failed, return False; its task is then first."""
        process, timeout, message = self._start_process(), self._order.move_timeout + 2 * ALIVE_INTERVAL, None
        with suppress(Fault, Disturbance):
            order = msgspec.structs.replace(self._order, tasks=list(tasks), seconds=seconds)
            message = process.ask(order, timeout)
            while not isinstance(message, m.Done):
                if isinstance(message, m.Played):
                    record = message.record
                    if not tasks or record.forfeited_by or record.seed != tasks[0].seed:
                        break
                    tasks.popleft()
                    self._send(message)
                message = process.receive(timeout)
        self._end_processes()
        return not tasks or isinstance(message, m.Done)

    def _play_isolated(self, task: GameTask) -> None:
        """Play a game whose players have a process each, with this process as the referee."""
        mover = Side.BLACK

        def create(task: GameTask, side: Side) -> IsolatedPlayer:
            return IsolatedPlayer(task, side, self._start_process(), self._order.move_timeout)

        def turn(side: Side) -> None:
            nonlocal mover
            mover = side
            if self._order.suspect:
                send_provisional("the guard of the game was killed in this player's turn at every attempt")

        def send_provisional(reason: str) -> None:
            self._send(m.Played(match.forfeit(mover, Fault(Termination.CRASH, reason)), final=False))

        match = Match(task, create, turn)
        try:
            record = match.play()
        except Disturbance as disturbance:
            send_provisional(disturbance.reason)
            _end()
        self._send(m.Played(record))
        match.finish(record)
        self._end_processes()

    def _start_process(self) -> PlayerProcess:
        process = PlayerProcess(self._order.memory, fork=self._forks, tick=self._tick, notice=self._notice)
        self._processes.append(process)
        return process

    def _end_processes(self) -> None:
        for process in self._processes:
            process.channel.close()
        self._processes.clear()
        system.end_descendants()

    def _tick(self) -> None:
        """Send a sign of life to the arena; end if the arena has ended."""
        if select.select([self._channel], [], [], 0.0)[0]:  # the arena sends no second message, so this is the end
            _end()
        self._send(m.Alive())

    def _notice(self, notice: m.Notice) -> None:
        self._notices += 1
        if self._notices <= _NOTICES:
            self._send(notice)

    def _send(self, message: m.Message) -> None:
        try:
            self._channel.send(message)
        except OSError:
            _end()
