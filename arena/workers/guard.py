"""A guard: the process that supervises the games of one order. It runs no code of players.

When the order is done, or the arena has ended, it kills all processes that its players have started, and ends.
"""

from __future__ import annotations

import os
import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from arena.checkers.game import Termination
from arena.checkers.move import Side
from arena.errors import ArenaError
from arena.plugins import registry
from arena.referee.match import Disturbance, Fault, Match
from arena.workers import messages as m
from arena.workers import system
from arena.workers.isolated import IsolatedPlayer, PlayerProcess
from arena.workers.player import INTERVAL

if TYPE_CHECKING:
    import socket

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask

ORDER_SECONDS, ORDER_SECONDS_WITHOUT_FORKS = 2.0, 10.0
"""Seconds after which no further game of an order starts, if player processes are forked, and if not."""


def main(connection: socket.socket) -> NoReturn:
    """Receive an order from the arena, play its games and end."""
    system.start_supervisor()
    registry.load()
    channel = m.Channel(connection, m.Order)
    with suppress(EOFError, OSError):  # the arena has ended
        _Guard(channel.receive(), channel).play()
    _end()


def _end() -> NoReturn:
    system.end_descendants()
    os._exit(0)


class _Guard:
    def __init__(self, order: m.Order, channel: m.Channel) -> None:
        self._order, self._channel, self._tasks = order, channel, deque(order.tasks)
        forks = system.can_fork()
        self._options: dict[str, Any] = {"memory": order.memory, "fork": forks, "tick": self._send}
        self._deadline = time.monotonic() + (ORDER_SECONDS if forks else ORDER_SECONDS_WITHOUT_FORKS)
        self._progress = m.Progress()
        self._processes: list[PlayerProcess] = []

    def play(self) -> None:
        """Play games of the order until all are played or its time is over."""
        try:
            while not self._progress.done:
                if self._order.isolated or not self._play_shared():
                    self._play_isolated(self._tasks[0])
                self._progress.done = self._is_over()
        except ArenaError as error:
            self._progress.error = str(error)
        except Exception as error:
            self._progress.lines.append(f"a guard ended because of {type(error).__name__}: {error}")
        self._send()

    def _is_over(self) -> bool:
        return not self._tasks or time.monotonic() > self._deadline

    def _play_shared(self) -> bool:
        """Play games in one process until the time of the order is over. Return False if the next game failed."""
        try:
            process = PlayerProcess(timeout=self._order.move_timeout + 2 * INTERVAL, **self._options)
            self._processes.append(process)
            answer = process.ask(m.Play(self._order.memory, list(self._tasks)))
            while not (answer.record and answer.record.forfeited_by):
                if answer.record:
                    self._add(answer.record)
                    if self._is_over():
                        return True
                answer = process.receive()
        except (Fault, Disturbance):
            pass
        finally:
            self._end_processes()
        return False

    def _play_isolated(self, task: GameTask) -> None:
        """Play a game whose players have a process each, with this process as the referee."""
        mover = Side.BLACK

        def create(task: GameTask, side: Side) -> IsolatedPlayer:
            player = IsolatedPlayer(task, side, timeout=self._order.move_timeout, **self._options)
            self._processes.append(player)
            return player

        def turn(side: Side) -> None:
            nonlocal mover
            mover = side
            if self._order.suspect:
                send_provisional("the guard of the game was killed in this player's turn at every attempt")

        def send_provisional(reason: str) -> None:
            self._progress.provisional = match.forfeit(mover, Fault(Termination.CRASH, reason))
            self._send()

        match = Match(task, create, turn)
        try:
            record = match.play()
        except Disturbance as disturbance:
            send_provisional(disturbance.reason)
            _end()
        self._add(record)
        self._send()
        match.finish(record)
        self._end_processes()

    def _end_processes(self) -> None:
        for process in self._processes:
            process.close()
            for name in process.uncached:
                self._progress.lines.append(f"Numba compiles {name} again for every order: compile it with cache=True")
        self._processes.clear()
        system.end_descendants()

    def _add(self, record: GameRecord) -> None:
        self._progress.records.append(record)
        self._tasks.popleft()

    def _send(self) -> None:
        """Tell the arena what has happened. End if the arena has ended."""
        try:
            self._channel.send(self._progress)
        except OSError:
            _end()
        self._progress = m.Progress()
