"""Training runs on record, and writing them: each checkpoint with all that led to it, in one transaction."""

from __future__ import annotations

import re
import shlex
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Connection, delete, insert, select, update

from arena.errors import StoreError, shown
from arena.interrupts import deferred_interrupt
from arena.store import lookup, models, names
from arena.store.decoding import check_settings, decoded
from arena.store.schema import checkpoints, run_games, run_metrics, runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.contracts.model import Model
    from arena.store.names import Naming

    State = Mapping[str, np.ndarray[Any, Any]]

_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class LearnerIdentity:
    """Everything that decides how a learner learns, besides its experience."""

    spec: str
    """Canonical spec."""
    distribution: str
    """What provides it."""
    version: str
    """Version of the distribution."""
    weights: str | None = None
    """Hash of the weights it begins with; None where there are none."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A training run on record."""

    id: int
    name: str
    learner: LearnerIdentity
    seed: int
    games: int
    """Games that it is to learn from."""
    settings: dict[str, Any]
    """Plain JSON values; whoever made the run knows what they mean."""
    arena: str
    """Version of checkers-arena that began it."""
    started: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where a run can go on from."""

    games: int = 0
    """Games that it has learned from."""
    seconds: float = 0.0
    """Time that it has spent learning."""
    cpu_seconds: float = 0.0
    """Processor time that it has spent learning, of all its threads."""
    state: State | None = None
    """Of the learner; None at the beginning."""


@decoded
class Runs:
    """The training runs of a database that is opened to write."""

    def __init__(self, connect: Callable[[], Connection], location: str) -> None:
        """``connect`` is called when the database is needed."""
        self._connect = connect
        self.location = location
        """Path or URL, for messages."""

    @property
    def _connection(self) -> Connection:
        return self._connect()

    def create(
        self, name: str | Naming, learner: LearnerIdentity, seed: int, games: int, settings: Mapping[str, Any]
    ) -> StoredRun:
        """Record a new run of that name, or one made of those that are taken.

        StoreError where the name is taken, or could not be told from an id or in a spec.
        """
        naming = names.fixed(name) if isinstance(name, str) else name
        name = naming(())
        if not _NAME.fullmatch(name) or name in ("last", "all") or name.isdecimal():
            raise StoreError(
                f"a run cannot be named {shown(name)}: write letters, digits, '-', '_' and '.';"
                " numbers, 'last' and 'all' choose among runs"
            )
        values: dict[str, Any] = {
            "seed": seed,
            "games": games,
            "settings": dict(settings),
            "arena": version("checkers-arena"),
            "started": time.time(),
        }
        row = values | {
            "learner": learner.spec,
            "distribution": learner.distribution,
            "version": learner.version,
            "weights": learner.weights,
        }
        with self._connection.begin():
            taken = set(self._connection.scalars(select(runs.c.name)))
            row["name"] = values["name"] = name = naming(taken)
            if name in taken:
                raise StoreError(
                    f"{self.location} already has a run {name!r}: arena train --resume {shlex.quote(name)}"
                    " goes on with it; or choose another name"
                )
            key = self._connection.scalars(insert(runs).values(row).returning(runs.c.id)).one()
        return StoredRun(id=key, learner=learner, **values)

    def get(self, which: str | int) -> StoredRun:
        """The run of that name or id, or the ``last``; StoreError where there is none."""
        with self._connection.begin():
            key = lookup.run_id(self._connection, which, self.location)
            row = self._connection.execute(select(runs).where(runs.c.id == key)).one()
        check_settings(row.settings)
        learner = LearnerIdentity(row.learner, row.distribution, row.version, row.weights)
        return StoredRun(row.id, row.name, learner, row.seed, row.games, row.settings, row.arena, row.started)

    def extend(self, run_id: int, games: int) -> None:
        """Let a run learn from so many games in all."""
        with self._connection.begin():
            self._connection.execute(update(runs).where(runs.c.id == run_id).values(games=games))

    def change(self, run_id: int, settings: Mapping[str, Any]) -> None:
        """Replace the settings of a run."""
        with self._connection.begin():
            self._connection.execute(update(runs).where(runs.c.id == run_id).values(settings=dict(settings)))

    def forget_empty(self, run_id: int) -> None:
        """Remove a run from the record, unless it has come to a checkpoint."""
        some = select(checkpoints.c.run_id).where(checkpoints.c.run_id == run_id).exists()
        with self._connection.begin():
            self._connection.execute(delete(runs).where(runs.c.id == run_id, ~some))

    def checkpoints(self, run_id: int) -> list[int]:
        """The games after which a run has checkpoints, in order."""
        query = select(checkpoints.c.games).where(checkpoints.c.run_id == run_id).order_by(checkpoints.c.games)
        with self._connection.begin():
            return list(self._connection.scalars(query))

    def last_checkpoint(self, run_id: int) -> Checkpoint:
        """Where a run goes on: after its last checkpoint, or at its beginning."""
        here = checkpoints.c
        query = (
            select(here.games, here.seconds, here.cpu_seconds, here.state)
            .where(here.run_id == run_id)
            .order_by(here.games.desc())
        )
        with self._connection.begin():
            row = self._connection.execute(query.limit(1)).first()
        if row is None:
            return Checkpoint()
        return Checkpoint(row.games, row.seconds, row.cpu_seconds or 0.0, unpacked(row.state))

    def recorder(self, run_id: int) -> RunRecorder:
        """What records the progress of the run."""
        return RunRecorder(self._connection, run_id)


class RunRecorder:
    """Records one run. What it is told is on record from the next checkpoint on, all of it or nothing."""

    def __init__(self, connection: Connection, run_id: int) -> None:
        self._connection = connection
        self._run_id = run_id
        self._metrics: list[dict[str, Any]] = []
        self._games: list[dict[str, Any]] = []

    def measured(self, games: int, metrics: Mapping[str, float], opponent: str = "") -> None:
        """Values by name after ``games`` games; ``opponent``: spec of the baseline, empty for the learner's own."""
        place = {"run_id": self._run_id, "games": games, "opponent": opponent}
        self._metrics += [place | {"metric": name, "value": float(value)} for name, value in metrics.items()]

    def learned_from(self, start: int, games: Sequence[tuple[str, str]]) -> None:
        """Recorded games that were game number ``start``, ... of the run: what holds each, and its key there."""
        self._games += [
            {"run_id": self._run_id, "number": number, "source": source, "game": game}
            for number, (source, game) in enumerate(games, start)
        ]

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
        """Commit a checkpoint with all that was told before; Ctrl-C waits until that is done.

        ``player``: spec of what plays the model; ``seconds`` and ``cpu_seconds``: wall-clock and processor time
        spent learning so far. Only the last checkpoint of a run keeps its state.
        """
        row = {
            "run_id": self._run_id,
            "games": games,
            "model_hash": model.hash,
            "player": player,
            "state": packed(state),
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "added": time.time(),
        }
        with deferred_interrupt(), self._connection.begin():
            models.add(self._connection, model, provenance)
            earlier = update(checkpoints).where(checkpoints.c.run_id == self._run_id, checkpoints.c.state.is_not(None))
            self._connection.execute(earlier.values(state=None))
            self._connection.execute(insert(checkpoints), row)
            for table, rows in ((run_metrics, self._metrics), (run_games, self._games)):
                if rows:
                    self._connection.execute(insert(table), rows)
        self._metrics, self._games = [], []


def packed(state: State) -> bytes:
    """A learner's state as the content of a safetensors file."""
    from safetensors.numpy import save

    # Files hold row-major little-endian arrays.
    return save({name: np.array(each, each.dtype.newbyteorder("<"), order="C") for name, each in state.items()})


def unpacked(data: bytes) -> State:
    """The state in the content of a safetensors file. Raises ValueError if it is damaged."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return {name: np.array(each) for name, each in load(data).items()}
    except SafetensorError as error:
        raise ValueError(f"a state that cannot be read: {error}") from None
