"""A player process: it runs whole games in shared mode, and one player of one game in isolated mode."""

from __future__ import annotations

import gc
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import psutil
from numba.core import event

from arena.checkers.game import Game, Termination
from arena.checkers.move import Move, Side
from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import Fault, Match, player_of, random_of, seed_global_random
from arena.workers import messages as m
from arena.workers import system

if TYPE_CHECKING:
    import socket
    from collections.abc import Collection, Iterator

    from arena.referee.task import GameTask

INTERVAL = 0.5
"""Minimum number of seconds between two signs of life during a game in shared mode."""
_COLLECTOR_THRESHOLD = 20_000
"""Number of new objects that starts the garbage collector. A game makes a few thousand objects and no cycles."""


def main(connection: socket.socket) -> NoReturn:
    """Run a player process in a new interpreter."""
    registry.load()
    warm_up()
    serve(connection)


def serve(connection: socket.socket) -> NoReturn:
    """Carry out the requests of the parent until it closes the connection."""
    system.start_player()
    channel = m.Channel(connection, m.Play | m.Create | m.Call | m.Finish)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=channel.close)  # forks of players send no messages
    gc.set_threshold(_COLLECTOR_THRESHOLD)
    with suppress(EOFError, OSError), event.install_recorder("numba:compile") as compiled:
        host = _Host(channel, compiled)
        host.send(m.Answer())
        while True:
            host.carry_out(channel.receive())
    os._exit(0)


def check_memory(limit: int, processes: Collection[psutil.Process]) -> None:
    """Raise Fault if processes take more than ``limit`` bytes together. Each user of shared memory has a share."""
    with suppress(psutil.Error):  # a process has ended
        if sum(process.memory_info().rss for process in processes) > limit:  # this is fast, the next line is not
            infos = [process.memory_full_info() for process in processes]
            if sum(getattr(info, "pss", info.uss) for info in infos) > limit:
                raise Fault(Termination.MEMORY, f"took more than {limit >> 20} MB of memory")


class _Host:
    """Carries out requests. In isolated mode, it has the player."""

    def __init__(self, channel: m.Channel, compiled: event.RecordingListener) -> None:
        self._channel, self._compiled, self._process = channel, compiled, psutil.Process()

    def carry_out(self, request: m.Request) -> None:
        """Carry out a request and send its answers."""
        try:
            for answer in self._answers(request):
                check_memory(request.memory, [self._process])
                self.send(answer)
        except BaseException as error:
            fault = error if isinstance(error, Fault) else Fault.raised(error)
            self.send(m.Answer(fault=(fault.termination, fault.reason)))

    def _answers(self, request: m.Request) -> Iterator[m.Answer]:
        match request:
            case m.Play():
                yield from self._play(request.tasks)
            case m.Create():
                self._created = request
                self._random = random_of(request.task, request.side)
                seed_global_random(request.task)
                self._player = player_of(request.task, request.side)
                yield m.Answer()
            case m.Call():
                yield self._call(request)
            case m.Finish():
                self._player.finish(request.record)
                yield m.Answer()

    def _play(self, tasks: list[GameTask]) -> Iterator[m.Answer]:
        """Play games in shared mode."""
        folder = Path.cwd()
        for task in tasks:
            with suppress(OSError):
                os.chdir(folder)  # a player may have changed it
            seed_global_random(task)
            game = Match(task, turn=self._turn)
            record = game.play()
            yield m.Answer(record=record)
            game.finish(record)

    def _turn(self, _: Side) -> None:
        if time.monotonic() - self._sent > INTERVAL:
            self.send(m.Answer())

    def _call(self, call: m.Call) -> m.Answer:
        """Call a method of the player. Raises Fault if it chooses anything but a legal move."""
        if self._created.by_ply:
            self._random = random_of(self._created.task, self._created.side, len(call.moves))
        game = Game(call.start, call.rules, call.limits, self._random)
        for path in call.moves:
            game.play(Move(path))
        if call.method == "start":
            self._player.start(game)
            return m.Answer()
        board, choice = game.board, self._player.choose(game)
        if type(choice) is not Move or choice not in board.legal_moves:
            raise Fault.chosen(choice, board)
        return m.Answer(path=choice.path, report=game.reported)

    def send(self, answer: m.Answer) -> None:
        """Send an answer with the names of the functions that Numba has compiled without a cache."""
        for _, compilation in self._compiled.buffer:
            kernel = compilation.data["dispatcher"]
            if compilation.is_start and type(getattr(kernel, "_cache", None)).__name__ == "NullCache":
                answer.uncached.append(f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}")
        self._compiled.buffer.clear()
        self._channel.send(answer)
        self._sent = time.monotonic()
