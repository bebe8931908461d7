"""A guard: the process that supervises the games of one order. It runs no code of players."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn

from arena.checkers.game import Termination
from arena.errors import ArenaError
from arena.plugins import registry
from arena.referee.match import Disturbance, Fault, Match
from arena.workers import messages as m
from arena.workers import system
from arena.workers.isolated import IsolatedPlayer, PlayerProcess

if TYPE_CHECKING:
    import socket

    from arena.checkers.move import Side
    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask

ORDER_SECONDS, ORDER_SECONDS_WITHOUT_FORKS = 4.0, 10.0
"""Seconds after which no further game of an order starts, if player processes are forked, and if not."""
_SLACK = 1.0
"""Seconds without an answer, beyond the move timeout, after which a shared process is killed."""


def main(connection: socket.socket) -> NoReturn:
    """Receive an order from the arena and play its games. Then kill what its players have started, and end."""
    system.start_supervisor()
    registry.load()
    channel = m.Channel(connection, m.Order)
    with suppress(OSError):  # the arena has ended
        _Guard(channel.receive(), channel).play()
    system.end_supervisor()


class _Guard:
    def __init__(self, order: m.Order, channel: m.Channel) -> None:
        self._order, self._channel, self._tasks = order, channel, deque(order.tasks)
        forks = system.can_fork()
        self._deadline = time.monotonic() + (ORDER_SECONDS if forks else ORDER_SECONDS_WITHOUT_FORKS)
        self._options: dict[str, Any] = {"memory": order.memory, "fork": forks, "tick": self._send}
        self._progress = m.Progress()
        self._processes: list[PlayerProcess] = []

    def play(self) -> None:
        """Play games of the order until all are played or its time is over."""
        try:
            while not self._progress.done:
                if self._order.isolated or not self._play_shared():
                    self._play_isolated(self._tasks[0])
                self._progress.done = self._is_over()
        except Disturbance:
            return  # the arena lets another guard play the game
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
            process = PlayerProcess(timeout=self._order.move_timeout + _SLACK, **self._options)
            self._processes.append(process)
            self._order.tasks = list(self._tasks)
            process.send(self._order)
            records: list[GameRecord] = []
            while not (records and self._is_over()):
                records = process.receive().records
                self._add(*records)
        except (Fault, Disturbance):
            return False
        finally:
            self._end_processes()
        return True

    def _play_isolated(self, task: GameTask) -> None:
        """Play a game whose players have a process each, with this process as the referee."""

        def create(task: GameTask, side: Side) -> IsolatedPlayer:
            player = IsolatedPlayer(task, side, timeout=self._order.move_timeout, **self._options)
            self._processes.append(player)
            return player

        def turn(side: Side) -> None:
            if self._order.suspect:
                reason = "its process or the guard of the game was killed in this player's turn at every attempt"
                self._progress.provisional = match.forfeit(side, Fault(Termination.CRASH, reason))
                self._send()

        match = Match(task, create, turn)
        record = match.play()
        self._add(record)
        self._send()
        match.finish(record)
        self._end_processes()

    def _end_processes(self) -> None:
        for process in self._processes:
            process.close()
            self._progress.lines += process.lines
        self._processes.clear()
        system.end_descendants()

    def _add(self, *records: GameRecord) -> None:
        for record in records:
            self._progress.records.append(record)
            self._tasks.popleft()

    def _send(self) -> None:
        """Tell the arena what has happened. Raises OSError if the arena has ended."""
        self._channel.send(self._progress)
        self._progress = m.Progress()
