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
from typing import TYPE_CHECKING, Any, NoReturn

import psutil

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

    Guard = m.Channel[m.ToPlayer]
BEAT = 0.5
"""Seconds between two signs of life."""
_YOUNG = 20_000
"""Objects made before the collector looks for cycles among them; a game makes a few thousand, and no cycles."""


def main(parent: int) -> None:
    """Run in a fresh interpreter."""
    connection = system.inherited()
    system.die_with(parent)
    registry.load()
    warm_up()
    m.Channel[m.ToPlayer](connection, m.ToPlayer).send(m.Done())
    serve(connection, parent, system.memory(psutil.Process()))


def serve(connection: socket.socket, parent: int, memory: int = 0) -> NoReturn:
    """Do what the process ``parent`` asks for, until it closes the connection; ``memory``: bytes taken before."""
    system.die_with(parent)
    system.start_alone()
    system.allow_inspection()
    system.keep_only(connection.fileno())
    channel = m.Channel[m.ToPlayer](connection, m.ToPlayer)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=channel.close)  # a fork that a player makes has nothing to say
    gc.set_threshold(_YOUNG)
    _report_compiling(channel)
    with suppress(EOFError, OSError):
        match channel.receive():
            case m.Order() as order:
                _play(order, channel, memory)
            case m.Create() as create:
                _Host(create, memory).answer(channel)
    os._exit(0)


def _play(order: m.Order, channel: Guard, memory: int) -> None:
    folder, beat = Path.cwd(), time.monotonic()

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
        if _took_more(memory + order.memory):
            return
        channel.send(m.Played(record))
        if record.forfeited_by:
            return
        match.finish(record)
    channel.send(m.Done())


def _took_more(limit: int) -> bool:
    return system.peak() > limit and system.memory(psutil.Process()) > limit


class _Host:
    """A player, and the game as it knows it."""

    def __init__(self, create: m.Create, memory: int) -> None:
        seed_global_random(create.task)
        self._create, self._limit = create, memory + create.memory
        self._game = opened(create.task)
        self._random = random_of(create.task, create.side)

    def answer(self, channel: Guard) -> None:
        """Answer whatever is asked, as long as the channel is open."""
        question: Any = self._create
        while True:
            try:
                answer = self._answer(question) or m.Done()
                if _took_more(self._limit):
                    raise too_much(self._create.memory)
            except Fault as fault:
                answer = m.Faulted(fault.termination, fault.reason)
            except BaseException as error:
                raised = Fault.raised(error)
                answer = m.Faulted(raised.termination, raised.reason)
            channel.send(answer)
            question = channel.receive()

    def _answer(self, question: m.ToPlayer) -> m.Message | None:
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
        return None

    def _updated(self, call: m.Call) -> Game:
        """A copy of the game of a call, for the player."""
        if call.start is not None:
            self._game = Game(Board(*call.start), call.rules)
        while self._game.ply > call.kept:
            self._game.undo()
        for path in call.moves:
            self._game.play(Move(path))
        return self._game.copy(self._random, call.limits)


def too_much(memory: int) -> Fault:
    """The fault of a player that has taken more than ``memory`` bytes."""
    return Fault(Termination.MEMORY, f"took more than {memory >> 20} MB of memory")


def _report_compiling(channel: Guard) -> None:
    """Send a notice for each kernel that this process compiles and no cache keeps for the next one."""
    from numba.core import event

    class Compiling(event.Listener):
        def on_start(self, event: Any) -> None:
            kernel = event.data["dispatcher"]
            if type(getattr(kernel, "_cache", None)).__name__ == "NullCache":
                name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
                with suppress(OSError):
                    channel.send(m.Notice(f"{name} is compiled again for every order: give it cache=True"))

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Compiling())  # type: ignore[no-untyped-call]
