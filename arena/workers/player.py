"""A process in which code of players runs: whole games in shared mode, one player of one game in isolated mode.

In shared mode it gets an order and sends the record of each game, before the players are told of its end. It ends after
a forfeit, which is only a suspicion here. In isolated mode it creates one player and answers for it.
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

BEAT = 0.5
"""Seconds between two signs of life."""
_YOUNG = 20_000
"""Objects made before the collector looks for cycles among them; a game makes a few thousand, and no cycles."""


def main(connection: socket.socket) -> NoReturn:
    """Run in a fresh interpreter."""
    registry.load()
    warm_up()
    m.Channel(connection, None).send(m.Alive())
    serve(connection)


def serve(connection: socket.socket) -> NoReturn:
    """Do what the parent asks for, until it closes the connection."""
    system.start_player()
    channel = m.Channel(connection, m.ToPlayer)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=channel.close)  # a fork that a player makes has nothing to say
    gc.set_threshold(_YOUNG)
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
    """Play the games of an order, up to the first in which something goes wrong."""
    folder, beat = Path.cwd(), time.monotonic()
    deadline = beat + order.seconds

    def turn(_: Side) -> None:
        nonlocal beat
        if (now := time.monotonic()) - beat > BEAT:
            beat = now
            channel.send(m.Alive())

    for task in order.tasks:
        with suppress(OSError):
            os.chdir(folder)  # a player may have left it
        seed_global_random(task)
        match = Match(task, turn=turn)
        record = match.play()
        _report_compiling(compiled, channel)
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
    """Create a player and call its methods, as long as the channel is open."""
    seed_global_random(create.task)
    player = _Host(create)
    question: m.ToPlayer | None = create
    while True:
        try:
            answer = player.do(question)
            if _took_more(create.memory):
                raise too_much(create.memory)
        except BaseException as error:
            fault = error if isinstance(error, Fault) else Fault.raised(error)
            answer = m.Faulted(fault.termination, fault.reason)
        _report_compiling(compiled, channel)
        channel.send(answer)
        question = channel.receive()


class _Host:
    """A player, and the game as it knows it."""

    def __init__(self, create: m.Create) -> None:
        self._game = opened(create.task)
        self._random = random_of(create.task, create.side)

    def do(self, question: m.ToPlayer | None) -> m.Message:
        """Do what is asked; returns the answer."""
        match question:
            case m.Create(task, side):
                self._player = player_of(task, side)
            case m.Finish(record):
                self._player.finish(record)
            case m.Call("start"):
                self._player.start(self._updated(question))
            case m.Call():
                copy, board = self._updated(question), self._game.board
                choice, report = self._player.choose(copy), copy.reported
                if type(choice) is not Move or choice not in board.legal_moves:
                    raise Fault.chosen(choice, board)
                return m.Chosen(choice.path, report)
        return m.Done()

    def _updated(self, call: m.Call) -> Game:
        """A copy of the game of a call, for the player."""
        start, kept = Board(*call.start), 0
        if (start, call.rules) != (self._game.boards[0], self._game.rules):
            self._game = Game(start, call.rules)
        paths = [move.path for move in self._game.moves]
        while kept < min(len(paths), len(call.moves)) and paths[kept] == call.moves[kept]:
            kept += 1
        while self._game.ply > kept:
            self._game.undo()
        for path in call.moves[kept:]:
            self._game.play(Move(path))
        return self._game.copy(self._random, call.limits)


def too_much(memory: int) -> Fault:
    """The fault of a player that has taken more than ``memory`` bytes."""
    return Fault(Termination.MEMORY, f"took more than {memory >> 20} MB of memory")


def _took_more(limit: int) -> bool:
    return system.peak() > limit and system.memory(psutil.Process()) > limit


def _report_compiling(compiled: event.RecordingListener, channel: m.Channel) -> None:
    """Send a notice for each kernel that was compiled and that no cache keeps for the next process."""
    for _, each in compiled.buffer:
        kernel = each.data["dispatcher"]
        if each.is_start and type(getattr(kernel, "_cache", None)).__name__ == "NullCache":
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
            channel.send(m.Notice(f"{name} is compiled again for every order: give it cache=True"))
    compiled.buffer.clear()
