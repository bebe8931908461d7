"""What a player process does: it plays games in shared mode, and serves one player of one game in isolated mode."""

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
from arena.checkers.move import Move
from arena.plugins import registry
from arena.plugins.warmup import warm_up
from arena.referee.match import Fault, Match, player_of, random_of, seed_global_random
from arena.workers import messages as m
from arena.workers import system

if TYPE_CHECKING:
    import socket
    from collections.abc import Collection

    from numpy.random import Generator

    from arena.contracts.player import Player

INTERVAL = 0.5
"""Maximum number of seconds between two messages in shared mode, except during a call of a player."""
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
    channel = m.Channel(connection, m.Order | m.Request)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=channel.close)  # forks of players send no messages
    gc.set_threshold(_COLLECTOR_THRESHOLD)
    with suppress(OSError), event.install_recorder("numba:compile") as compiled:
        channel.send(m.Answer())
        request = channel.receive()
        if isinstance(request, m.Order):
            _play_games(request, channel, compiled)
        else:
            _serve_player(request, channel, compiled)
    os._exit(0)


def check_memory(limit: int, processes: Collection[psutil.Process]) -> None:
    """Raise Fault if processes take more than ``limit`` bytes together. Each user of shared memory has a share."""
    with suppress(psutil.Error):  # a process has ended
        if sum(process.memory_info().rss for process in processes) > limit:  # this is fast, the next line is not
            infos = [process.memory_full_info() for process in processes]
            if sum(getattr(info, "pss", info.uss) for info in infos) > limit:
                raise Fault(Termination.MEMORY, f"took more than {limit >> 20} MB of memory")


def _play_games(order: m.Order, channel: m.Channel, compiled: event.RecordingListener) -> None:
    """Play games in shared mode, up to the first one that must be played in isolated mode.

    Records are sent in batches, first often and then every :data:`INTERVAL`. If a player crashes the process, at most a
    quarter of the games that it has played have no record.
    """
    this, folder, progress = psutil.Process(), Path.cwd(), m.Progress()
    started = next_message = time.monotonic()

    def send() -> None:
        progress.lines = _uncached(compiled)
        channel.send(progress)
        progress.records.clear()

    def turn(_: object) -> None:
        nonlocal next_message
        if (now := time.monotonic()) > next_message:
            next_message = now + min(INTERVAL, (now - started) / 4)
            send()

    for task in order.tasks:
        with suppress(OSError):
            os.chdir(folder)  # a player may have changed it
        seed_global_random(task)
        match = Match(task, turn=turn)
        record = match.play()
        check_memory(order.memory, [this])
        if record.forfeited_by:
            break
        progress.records.append(record)
        match.finish(record)
    send()


def _serve_player(request: m.Request, channel: m.Channel, compiled: event.RecordingListener) -> NoReturn:
    """Create an isolated player, and then call its methods as requested."""
    this = psutil.Process()
    while True:
        answer = m.Answer()
        try:
            match request:
                case m.Create(task, side, memory, by_ply):
                    random = random_of(task, side)
                    seed_global_random(task)
                    player = player_of(task, side)
                case m.Call():
                    if by_ply:
                        random = random_of(task, side, len(request.moves))
                    answer = _call(player, request, random)
                case m.Finish():
                    player.finish(request.record)
            check_memory(memory, [this])
        except BaseException as error:
            fault = error if isinstance(error, Fault) else Fault.raised(error)
            answer = m.Answer(fault=(fault.termination, fault.reason))
        answer.lines = _uncached(compiled)
        channel.send(answer)
        request = channel.receive()


def _call(player: Player, call: m.Call, random: Generator) -> m.Answer:
    """Call a method of a player. Raises Fault if it chooses anything but a legal move."""
    game = Game(call.start, call.rules, call.limits, random)
    for path in call.moves:
        game.play(Move(path))
    if call.method == "start":
        player.start(game)
        return m.Answer()
    board, choice = game.board, player.choose(game)
    if type(choice) is not Move or choice not in board.legal_moves:
        raise Fault.chosen(choice, board)
    return m.Answer(path=choice.path, report=game.reported)


def _uncached(compiled: event.RecordingListener) -> list[str]:
    """Return a line for each function that Numba has compiled without a cache since the last call."""
    starts = [compilation.data["dispatcher"] for _, compilation in compiled.buffer if compilation.is_start]
    compiled.buffer.clear()
    return [
        f"Numba compiles {kernel.py_func.__module__}.{kernel.py_func.__qualname__} again for every order: "
        "compile it with cache=True"
        for kernel in starts
        if type(getattr(kernel, "_cache", None)).__name__ == "NullCache"
    ]
