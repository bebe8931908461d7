"""A worker: a process that plays the games that it is told to, one after the other.

It reads tasks from its standard input and writes what came of them to its standard output, as lines of JSON,
both through private file descriptors: what players read and print goes to the null device. It writes
``{"ready": true}`` once, ``{"record": ...}`` for every task, ``{"failed": text}`` where the arena itself
failed, and ``{"refused": text}`` where a task cannot be played at all. A game is reported before its players
are told of its end, so that nothing they do then can change it.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import plugins
from arena.errors import ArenaError
from arena.match import GameTask, Match, TurnMarker
from arena.tournament import system
from arena.tournament.marker import SharedMarker
from arena.warmup import warm_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.checkers.move import Side

COMMAND = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1])['path']; from arena.tournament.worker import main; main()"
)
"""What the interpreter of a worker runs: it finds modules where its parent does."""


def settings(marker: Path) -> str:
    """The argument of :data:`COMMAND`, for a worker of this process with its marker in that file."""
    path = [entry or str(Path.cwd()) for entry in sys.path]
    return json.dumps({"path": path, "parent": os.getpid(), "marker": str(marker)})


def main() -> None:
    """Play until the parent is gone."""
    start = json.loads(sys.argv[1])
    system.die_with(start["parent"])
    system.ignore_interrupts()
    channel = _Channel()
    _discard(0, 1)
    plugins.load()
    warm_up()
    marker = _GuardedMarker(Path(start["marker"]), channel)
    system.in_forks(marker.forget)
    system.in_forks(channel.forget)
    channel.send({"ready": True})
    _discard(2)
    for task in channel.tasks():
        _play(task, marker, channel)


def _play(values: dict[str, Any], marker: TurnMarker, channel: _Channel) -> None:
    try:
        match = Match(GameTask.from_json(values), marker)
        record = match.play()
        channel.send({"record": record.to_json()})
        match.finish(record)
    except ArenaError as error:
        channel.send({"refused": str(error)})
    except Exception as error:
        channel.send({"failed": f"{type(error).__name__}: {error}"})


class _Channel:
    """The way to the parent, and back."""

    def __init__(self) -> None:
        self._inbox, self._outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
        self._descriptors = self._inbox.fileno(), self._outbox.fileno()
        self._files = self._identify()

    def tasks(self) -> Iterator[dict[str, Any]]:
        """The tasks as they come in. When no more can come, the parent is gone, and so is this process."""
        waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

        def read() -> None:
            with suppress(OSError):
                for line in self._inbox:
                    waiting.put(line)
            os._exit(0)

        threading.Thread(target=read, name="tasks", daemon=True).start()
        while True:
            yield json.loads(waiting.get())

    def send(self, message: dict[str, Any]) -> None:
        """Write one line."""
        self._outbox.write(json.dumps(message).encode() + b"\n")
        self._outbox.flush()

    def check(self) -> None:
        """End this process where the file descriptors are not what they were."""
        try:
            unchanged = self._identify() == self._files
        except OSError:
            unchanged = False
        if not unchanged:
            os._exit(1)

    def forget(self) -> None:
        """Leave the channel to the process that this one was forked from."""
        _discard(*self._descriptors)
        self._files = self._identify()

    def _identify(self) -> tuple[int, int]:
        inbox, outbox = self._descriptors
        return os.fstat(inbox).st_ino, os.fstat(outbox).st_ino


class _GuardedMarker(SharedMarker):
    """Ends the process in the turn of whoever has tampered with the channel."""

    def __init__(self, path: Path, channel: _Channel) -> None:
        self._channel = channel
        super().__init__(path)

    def turn(self, side: Side | None) -> None:
        self._channel.check()
        super().turn(side)


def _discard(*descriptors: int) -> None:
    """Point the file descriptors at the null device."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
    os.close(null)
