"""Writing and reading training runs.

A transaction holds one checkpoint with all metrics and recorded games since the checkpoint before.
"""

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
from arena.store.address import locate
from arena.store.decoding import check_settings, decoded
from arena.store.part import Part
from arena.store.schema import checkpoints, experiment_runs, run_games, run_metrics, runs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from arena.contracts.model import Model
    from arena.store.names import Naming

    State = Mapping[str, np.ndarray[Any, Any]]

_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class LearnerIdentity:
    """Everything that decides how a learner learns, except its experience."""

    spec: str
    """Canonical spec."""
    distribution: str
    """Name of the Python distribution that provides it."""
    version: str
    """Version of the distribution."""
    weights: str | None = None
    """Hash of the initial model; None if no initial model was given."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A recorded training run."""

    id: int
    name: str
    learner: LearnerIdentity
    seed: int
    games: int
    """Planned number of training games."""
    settings: dict[str, Any]
    """JSON values. The store does not interpret them."""
    arena: str
    """Version of checkers-arena that created the run."""
    started: float
    """Time of creation, in seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A point from which a run can continue."""

    games: int = 0
    """Number of training games so far."""
    seconds: float = 0.0
    """Seconds spent learning so far."""
    cpu_seconds: float = 0.0
    """Processor seconds spent learning so far, of all threads."""
    state: State | None = None
    """State of the learner: arrays by name. None at the start of a run."""


@decoded
class Runs(Part):
    """The training runs of a database open for writing."""

    def check_name(self, naming: Naming) -> None:
        """Raise the StoreError that :meth:`create` would raise for this name. Creates no database."""
        self._chosen(naming, self._names() if locate(self.location)[1] else ())

    def create(
        self,
        name: str | Naming,
        learner: LearnerIdentity,
        seed: int,
        games: int,
        settings: Mapping[str, Any],
        experiment: tuple[int, str] | None = None,
    ) -> StoredRun:
        """Record a new run.

        ``name`` is its name, or a function that chooses a name given the existing ones. ``experiment``: id of the
        experiment that the run belongs to, and the label of its learner. Raises StoreError if the name is taken, could
        be mistaken for an id, or cannot be part of a spec.
        """
        naming = names.fixed(name) if isinstance(name, str) else name
        self.check_name(naming)
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
            row["name"] = values["name"] = self._chosen(naming, taken)
            key = self._connection.scalars(insert(runs).values(row).returning(runs.c.id)).one()
            if experiment is not None:
                part = dict(zip(("experiment_id", "label"), experiment, strict=True))
                self._connection.execute(insert(experiment_runs), part | {"seed": seed, "run_id": key})
        return StoredRun(id=key, learner=learner, **values)

    def _names(self) -> list[str]:
        with self._connection.begin():
            return list(self._connection.scalars(select(runs.c.name)))

    def _chosen(self, naming: Naming, taken: Collection[str]) -> str:
        """Return the name of a new run. Raises StoreError if it is invalid or taken."""
        name = naming(taken)
        if not _NAME.fullmatch(name) or name in ("last", "all") or name.isdecimal():
            raise StoreError(
                f"a run cannot be named {shown(name)}: write letters, digits, '-', '_' and '.';"
                " a number is read as an id; 'last' and 'all' have a meaning"
            )
        if name in taken:
            raise StoreError(
                f"{self.location} already has a run {name!r}: arena train --resume {shlex.quote(name)}"
                " continues it; or choose another name"
            )
        return name

    def get(self, which: str | int) -> StoredRun:
        """Return the run with the name or id ``which``, or the ``last`` one. Raises StoreError if it does not exist."""
        with self._connection.begin():
            key = lookup.run_id(self._connection, which, self.location)
            return _stored(self._connection.execute(select(runs).where(runs.c.id == key)).one())

    def all(self) -> list[StoredRun]:
        """Return all runs, the oldest first."""
        with self._connection.begin():
            return [_stored(row) for row in self._connection.execute(select(runs).order_by(runs.c.id))]

    def extend(self, run_id: int, games: int) -> None:
        """Set the planned number of training games of a run."""
        with self._connection.begin():
            self._connection.execute(update(runs).where(runs.c.id == run_id).values(games=games))

    def change(self, run_id: int, settings: Mapping[str, Any]) -> None:
        """Replace the settings of a run."""
        with self._connection.begin():
            self._connection.execute(update(runs).where(runs.c.id == run_id).values(settings=dict(settings)))

    def forget_empty(self, run_id: int) -> None:
        """Delete a run if it has no checkpoint."""
        has_checkpoint = select(checkpoints.c.run_id).where(checkpoints.c.run_id == run_id).exists()
        with self._connection.begin():
            self._connection.execute(delete(runs).where(runs.c.id == run_id, ~has_checkpoint))

    def checkpoints(self, run_id: int) -> list[int]:
        """Return the numbers of training games of a run's checkpoints, in ascending order."""
        query = select(checkpoints.c.games).where(checkpoints.c.run_id == run_id).order_by(checkpoints.c.games)
        with self._connection.begin():
            return list(self._connection.scalars(query))

    def last_checkpoint(self, run_id: int) -> Checkpoint:
        """Return the last checkpoint of a run, or an empty one if the run has none."""
        columns = checkpoints.c
        query = select(columns.games, columns.seconds, columns.cpu_seconds, columns.state)
        query = query.where(columns.run_id == run_id).order_by(columns.games.desc())
        with self._connection.begin():
            row = self._connection.execute(query.limit(1)).first()
        if row is None:
            return Checkpoint()
        return Checkpoint(row.games, row.seconds, row.cpu_seconds or 0.0, unpacked(row.state))

    def recorder(self, run_id: int) -> RunRecorder:
        """Return an object that records the progress of the run."""
        return RunRecorder(self._connection, run_id)


class RunRecorder:
    """Records the progress of one run. Metrics and games are committed with the next checkpoint, all or nothing."""

    def __init__(self, connection: Connection, run_id: int) -> None:
        self._connection = connection
        self._run_id = run_id
        self._metrics: list[dict[str, Any]] = []
        self._games: list[dict[str, Any]] = []

    def measured(self, games: int, metrics: Mapping[str, float], opponent: str = "") -> None:
        """Record metrics, by name, measured after ``games`` training games.

        ``opponent`` is the spec of the baseline. It is empty for metrics that the learner reports.
        """
        key = {"run_id": self._run_id, "games": games, "opponent": opponent}
        self._metrics += [key | {"metric": name, "value": float(value)} for name, value in metrics.items()]

    def learned_from(self, start: int, games: Sequence[tuple[str, str]]) -> None:
        """Record which recorded games were the training games ``start``, ``start + 1``, ... of the run.

        Each is given by its source (file, collection or tournament) and its number or id there.
        """
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
        """Commit a checkpoint with all metrics and games since the last one. Ctrl-C takes effect after the commit.

        ``player`` is the spec of the player that uses the model. ``seconds`` and ``cpu_seconds`` are the wall-clock
        and processor time spent learning so far. The state of the run's earlier checkpoints is deleted.
        """
        with deferred_interrupt(), self._connection.begin():
            self.add_checkpoint(games, model, provenance, player, state, seconds, cpu_seconds)

    def add_checkpoint(
        self,
        games: int,
        model: Model,
        provenance: Mapping[str, str],
        player: str | None,
        state: State,
        seconds: float,
        cpu_seconds: float | None = None,
    ) -> None:
        """Record a checkpoint in the open transaction; see :meth:`checkpoint`."""
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
        models.add(self._connection, model, provenance)
        earlier = update(checkpoints).where(checkpoints.c.run_id == self._run_id, checkpoints.c.state.is_not(None))
        self._connection.execute(earlier.values(state=None))
        self._connection.execute(insert(checkpoints), row)
        for table, rows in ((run_metrics, self._metrics), (run_games, self._games)):
            if rows:
                self._connection.execute(insert(table), rows)
        self._metrics, self._games = [], []


def _stored(row: Any) -> StoredRun:
    check_settings(row.settings)
    learner = LearnerIdentity(row.learner, row.distribution, row.version, row.weights)
    return StoredRun(row.id, row.name, learner, row.seed, row.games, row.settings, row.arena, row.started)


def packed(state: State) -> bytes:
    from safetensors.numpy import save

    # The file format holds row-major little-endian arrays.
    return save({name: np.array(each, each.dtype.newbyteorder("<"), order="C") for name, each in state.items()})


def unpacked(data: bytes) -> State:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return {name: np.array(each) for name, each in load(data).items()}
    except SafetensorError as error:
        raise ValueError(f"the state of a learner cannot be read: {error}") from None
