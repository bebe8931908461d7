"""A player process: it runs whole games in shared mode, and one player of one game in isolated mode.

In shared mode, it receives an order and sends the record of each game before it calls ``finish`` of the players. It
ends after a forfeit, because the guard plays that game again. In isolated mode, it creates one player and calls its
methods on request.
"""

from __future__ import annotations

import gc
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import psutil
from numba.core import event

from arena.checkers.board import Board
from arena.checkers.game import Game, Termination
from arena.checkers.move import Move, Side
from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import Fault, Match, opened, player_of, random_of, seed_global_random
from arena.workers import messages as m
from arena.workers import system

if TYPE_CHECKING:
    import socket

ALIVE_INTERVAL = 0.5
"""Minimum number of seconds between two ``Alive`` messages."""
_COLLECTOR_THRESHOLD = 20_000
"""Number of new objects that starts the garbage collector. A game makes a few thousand objects and no cycles."""


def main(connection: socket.socket) -> NoReturn:
    """Run a player process in a new interpreter, if processes cannot be forked."""
    registry.load()
    warm_up()
    m.Channel(connection, None).send(m.Alive())
    serve(connection)


def serve(connection: socket.socket) -> NoReturn:
    """Carry out the request of the parent: an order, or the methods of one player."""
    system.start_player()
    channel = m.Channel(connection, m.ToPlayer)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=channel.close)  # forks of players send no messages
    gc.set_threshold(_COLLECTOR_THRESHOLD)
    compiled = event.RecordingListener()  # type: ignore[no-untyped-call]
    event.register("numba:compile", compiled)  # type: ignore[no-untyped-call]
    with suppress(EOFError, OSError):
        match channel.receive():
            case m.Order() as order:
                _play(order, channel, compiled)
            case m.Create() as create:
                _answer(create, channel, compiled)
    os._exit(0)


def _play(order: m.Order, channel: m.Channel, compiled: event.RecordingListener) -> None:
    """Play the games of an order until its time is over.

    Return without ``Done`` if a game fails, so that the guard plays it again.
    """
    folder, last_alive = Path.cwd(), time.monotonic()
    deadline = last_alive + order.seconds

    def turn(_: Side) -> None:
        nonlocal last_alive
        if (now := time.monotonic()) - last_alive > ALIVE_INTERVAL:
            last_alive = now
            channel.send(m.Alive())

    for task in order.tasks:
        with suppress(OSError):
            os.chdir(folder)  # a player may have changed it
        seed_global_random(task)
        match = Match(task, turn=turn)
        record = match.play()
        _report_uncached(compiled, channel)
        if _took_more(order.memory):
            return
        channel.send(m.Played(record))
        if record.forfeited_by:
            return
        match.finish(record)
        if time.monotonic() > deadline:
            break
    channel.send(m.Done())


def _answer(create: m.Create, channel: m.Channel, compiled: event.RecordingListener) -> NoReturn:
    """Create a player and call its methods until the parent closes the channel."""
    seed_global_random(create.task)
    host = _Host(create)
    request: m.ToPlayer = create
    while True:
        try:
            answer = host.do(request)
            if _took_more(create.memory):
                raise memory_fault(create.memory)
        except BaseException as error:
            fault = error if isinstance(error, Fault) else Fault.raised(error)
            answer = m.Faulted(fault.termination, fault.reason)
        _report_uncached(compiled, channel)
        channel.send(answer)
        request = channel.receive()


class _Host:
    """An isolated player, with a copy of the guard's game."""

    def __init__(self, create: m.Create) -> None:
        self._game = opened(create.task)
        self._random = random_of(create.task, create.side)

    def do(self, request: m.ToPlayer) -> m.Message:
        """Carry out a request and return the answer. Raises Fault if the player chooses an illegal move."""
        match request:
            case m.Create(task, side):
                self._player = player_of(task, side)
            case m.Finish(record):
                self._player.finish(record)
            case m.Call("start"):
                self._player.start(self._updated(request))
            case m.Call():
                copy, board = self._updated(request), self._game.board
                choice, report = self._player.choose(copy), copy.reported
                if type(choice) is not Move or choice not in board.legal_moves:
                    raise Fault.chosen(choice, board)
                return m.Chosen(choice.path, report)
        return m.Done()

    def _updated(self, call: m.Call) -> Game:
        """Return a copy of the game of ``call`` for the player."""
        start, common = Board(*call.start), 0
        if (start, call.rules) != (self._game.boards[0], self._game.rules):
            self._game = Game(start, call.rules)
        paths = [move.path for move in self._game.moves]
        while common < min(len(paths), len(call.moves)) and paths[common] == call.moves[common]:
            common += 1
        while self._game.ply > common:
            self._game.undo()
        for path in call.moves[common:]:
            self._game.play(Move(path))
        return self._game.copy(self._random, call.limits)


def memory_fault(memory: int) -> Fault:
    """Return the fault of a player that has taken more than ``memory`` bytes."""
    return Fault(Termination.MEMORY, f"took more than {memory >> 20} MB of memory")


def _took_more(limit: int) -> bool:
    return system.peak() > limit and system.memory(psutil.Process()) > limit


def _report_uncached(compiled: event.RecordingListener, channel: m.Channel) -> None:
    """Send a notice for each function that Numba compiled without a cache."""
    for _, compilation in compiled.buffer:
        kernel = compilation.data["dispatcher"]
        if compilation.is_start and type(getattr(kernel, "_cache", None)).__name__ == "NullCache":
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
            channel.send(m.Notice(f"Numba compiles {name} again for every order: compile it with cache=True"))
    compiled.buffer.clear()
