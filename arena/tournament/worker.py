"""A worker: a process that plays the games that it is told to, one after the other.

It reads orders from its standard input and writes what came of them to its standard output, as
:mod:`arena.tournament.messages` has it, both through private file descriptors: what players read and print goes to the
null device. It says that it is ``ready`` once, with the bytes of memory that it has taken, and for every order
``record``, or ``failed`` with a text where the process is at fault, ``refused`` with a text where the task cannot be
played at all, ``disturbed`` with a side and a text where the process of a player was ended by somebody else. A game is
reported before its players are told of its end, so that nothing they do then can change it. After a forfeit in it this
process ends, where processes can be forked: it is no more than suspected, and the game is played again.

A game is played in this process, or, apart, with each player in a process of its own; then this one ends with it.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import sys
import threading
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from arena import plugins
from arena.errors import ArenaError
from arena.match import Create, Disturbance, Match, player_of, seed_strays
from arena.scoresheet import begun
from arena.tournament import system
from arena.tournament.apart import Apart
from arena.tournament.marker import SharedMarker
from arena.tournament.messages import Order, message, report
from arena.warmup import warm_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.marker import TurnMarker

YOUNG = 20_000
"""Objects made before the collector looks for circles among them; a game makes a few thousand, and no circles."""


def main() -> None:
    """A worker that is an interpreter of its own."""
    start = json.loads(sys.argv[1])
    system.die_with(start["parent"])
    system.ignore_interrupts()
    channel = Channel()
    plugins.load()
    warm_up()
    work(Path(start["marker"]), channel)


def work(marker_file: Path, channel: Channel) -> NoReturn:
    """Play until there can be no more tasks: when the parent is gone."""
    system.adopt_orphans()
    marker = SharedMarker(marker_file)
    system.in_forks(marker.forget)
    system.in_forks(channel.forget)
    memory = system.memory(os.getpid())
    channel.send(message("ready", memory))
    _discard(2)
    folder = Path.cwd()
    gc.set_threshold(YOUNG)
    for order in chain.from_iterable(map(_prepared, channel.orders())):
        with suppress(OSError):
            os.chdir(folder)  # where players may have left it
        if order.apart:
            _play(order, marker, channel, partial(Apart, memory=order.memory), memory)
            break
        _play(order, marker, channel, player_of, memory)
        if system.FORKS:
            system.end_children()
    os._exit(0)


def _prepared(orders: list[Order]) -> list[Order]:
    """The same orders, and their openings at hand: to read many at a time takes a fraction of the time."""
    for order in orders:
        with suppress(Exception):  # as will be seen when it is played
            begun(order.task.opening)
    return orders


def _play(order: Order, marker: TurnMarker, channel: Channel, create: Create, before: int | None) -> None:
    match = None
    try:
        seed_strays(order.task)
        match = Match(order.task, marker, create)
        record = match.play()
        if system.took_more(before, order.memory):
            channel.send(message("failed", "the process took too much memory"))
        else:
            channel.send(report(record))
            if record.guilty and system.FORKS and not order.apart:
                os._exit(0)  # it is only suspected, and will be played again
            match.finish(record)
    except Disturbance as disturbance:
        channel.send(message("disturbed", [disturbance.side, disturbance.reason]))
    except Exception as error:
        if isinstance(error, ArenaError) and match is None:
            channel.send(message("refused", str(error)))
        else:
            channel.send(message("failed", f"{type(error).__name__}: {error}"))


class Channel:
    """The way to the parent, and back: what was standard input and output, which from now on lead nowhere."""

    def __init__(self) -> None:
        self._inbox, self._outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        self._descriptors = self._inbox.fileno(), self._outbox.fileno()
        self._files = self._identify()
        _discard(0, 1)

    def orders(self) -> Iterator[list[Order]]:
        """The orders as they come in, several at a time, as long as there can be any."""
        return map(Order.read, self._inbox if system.FORKS else self._watched())

    def _watched(self) -> Iterator[bytes]:
        """The lines as they come in; where the system does not see to it, this process ends with the parent."""
        waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

        def read() -> None:
            with suppress(OSError):
                for line in self._inbox:
                    waiting.put(line)
            os._exit(0)

        threading.Thread(target=read, name="tasks", daemon=True).start()
        while True:
            yield waiting.get()

    def send(self, line: bytes) -> None:
        """Write a line. Where a player has tampered with the channel, end this process."""
        try:
            if self._identify() == self._files:
                self._outbox.write(line)
                self._outbox.flush()
                return
        except OSError:
            pass
        os._exit(1)

    def forget(self) -> None:
        """Leave the channel to the process that this one was forked from."""
        _discard(*self._descriptors)
        self._files = self._identify()

    def _identify(self) -> tuple[int, int]:
        inbox, outbox = self._descriptors
        return os.fstat(inbox).st_ino, os.fstat(outbox).st_ino


def _discard(*descriptors: int) -> None:
    """Point the file descriptors at the null device."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
    os.close(null)
