"""The program of a training process. It trains one run at a time and sends each checkpoint to its parent.

The parent records the checkpoints. Messages are encoded in msgpack and never unpickled.
"""

from __future__ import annotations

import os
import signal
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from arena.errors import ArenaError
from arena.faults import blamed
from arena.plugins import registry
from arena.store.runs import Checkpoint, StoredRun, packed, unpacked
from arena.training.training import Training, stored_plan

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping, Sequence

    from arena.contracts.model import Model
    from arena.store.runs import State
    from arena.training.training import RunProgress


class Message(msgspec.Struct, tag=True):
    """The base class of messages between a trainer and its parent."""


class Train(Message):  # to a trainer: continue a run from its last checkpoint
    run: StoredRun
    database: str
    """Path or URL of the database. The trainer reads recorded games and models from it."""
    checkpoints: list[int]
    """Games of the checkpoints that are on record."""
    games: int
    seconds: float
    cpu_seconds: float
    state: bytes | None


class Advanced(Message):  # from a trainer: games learned from so far
    games: int


class Reached(Message):  # from a trainer: a checkpoint, with everything to record since the last one
    games: int
    metrics: list[tuple[int, str, dict[str, float]]]
    """Games, opponent, and values by name, as :meth:`arena.store.runs.RunRecorder.measured` takes them."""
    sources: list[tuple[int, list[tuple[str, str]]]]
    """As :meth:`arena.store.runs.RunRecorder.learned_from` takes them."""
    model: bytes
    provenance: dict[str, str]
    player: str | None
    state: bytes
    seconds: float
    cpu_seconds: float | None


class Trained(Message):  # from a trainer: the run is finished, or the learner has failed
    failure: str | None = None
    details: str = ""


def main(inherited: socket.socket) -> NoReturn:
    """Train until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    connection = Connection(inherited.detach())
    registry.load()
    try:
        while True:
            connection.send_bytes(msgspec.msgpack.encode(_train(connection, _received(connection))))
    except (EOFError, OSError):
        os._exit(0)  # without the exit handlers of plugins


def _received(connection: Connection) -> Train:
    return msgspec.msgpack.decode(connection.recv_bytes(), type=Train)


def _train(connection: Connection, order: Train) -> Trained:
    """Train a run to its end and send its checkpoints. An error of the arena is returned as the run's failure."""
    try:
        plan = stored_plan(order.run, None, order.database)
        with blamed(f"the learner {plan.learner.text}"):
            learner = plan.new_learner()
            learner.begin(order.run.seed)
            if order.state is not None:
                learner.restore(unpacked(order.state))
        start = Checkpoint(order.games, order.seconds, order.cpu_seconds)
        log = _RunLog(connection, order.checkpoints)
        Training(log, order.run, plan, learner, start).learn(log.advanced)
    except ArenaError as error:
        return Trained(str(error), error.details)
    return Trained()


class _RunLog:
    """Sends everything to the parent that a run records. It replaces the store in a training process."""

    def __init__(self, connection: Connection, checkpoints: Sequence[int]) -> None:
        self._connection, self._checkpoints = connection, list(checkpoints)
        self._metrics: list[tuple[int, str, dict[str, float]]] = []
        self._sources: list[tuple[int, list[tuple[str, str]]]] = []

    def checkpoints(self, _: int) -> list[int]:
        return self._checkpoints

    def recorder(self, _: int) -> Any:
        return self

    def forget_empty(self, _: int) -> None:
        pass

    def advanced(self, progress: RunProgress) -> None:
        self._send(Advanced(progress.done))

    def measured(self, games: int, metrics: Mapping[str, float], opponent: str = "") -> None:
        self._metrics.append((games, opponent, {name: float(value) for name, value in metrics.items()}))

    def learned_from(self, start: int, games: Sequence[tuple[str, str]]) -> None:
        self._sources.append((start, list(games)))

    def checkpoint(
        self,
        games: int,
        model: Model,
        provenance: Mapping[str, str],
        player: str | None,
        state: State,
        seconds: float,
        cpu_seconds: float | None = None,
    ) -> None:
        self._send(
            Reached(
                games,
                self._metrics,
                self._sources,
                model.to_bytes(),
                dict(provenance),
                player,
                packed(state),
                seconds,
                cpu_seconds,
            )
        )
        self._metrics, self._sources = [], []

    def _send(self, message: Message) -> None:
        self._connection.send_bytes(msgspec.msgpack.encode(message))
