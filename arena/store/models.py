"""Writing and reading models (table ``models``). The key of a model is its hash, so each model is stored once."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from arena.contracts.model import Model
from arena.errors import StoreError
from arena.store import lookup
from arena.store.schema import checkpoints, learned_models, models, runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection

    Load = Callable[[str], Model]
    """A function that reads the model with a given hash."""

_SHOWN = 10
"""Maximum number of checkpoints in a message."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A recorded model."""

    name: str
    """Full name of the model: ``lms@500`` if it was found as a checkpoint, ``@HASH`` if it was found by its hash."""
    model: Model
    """The model; its own name is ``name`` too."""
    player: str | None
    """Spec of the player that uses the model, as its learner gives it; None if unknown."""
    provenance: Mapping[str, str]
    """Command, seed, versions, ... that produced the model first."""


def add(connection: Connection, model: Model, provenance: Mapping[str, str]) -> bool:
    """Record a model in the open transaction. Returns False if the model was on record already."""
    row = {
        "hash": model.hash,
        "kind": model.kind,
        "data": model.to_bytes(),
        "provenance": dict(provenance),
        "added": time.time(),
    }
    return connection.execute(lookup.insert_new(connection, models), row).rowcount == 1


def read(connection: Connection, key: str) -> Model:
    """Return the recorded model with the hash ``key``, named ``@HASH``."""
    return Model.stored(f"@{key}", connection.execute(select(models.c.data).where(models.c.hash == key)).scalar_one())


def of_run(connection: Connection, run: str, games: str, location: str, load: Load) -> StoredModel:
    """Return the model of a run's checkpoint after ``games`` games, or of its ``last`` checkpoint.

    Raises StoreError if the checkpoint does not exist.
    """
    run_id = lookup.run_id(connection, run, location)
    name = connection.scalar(select(runs.c.name).where(runs.c.id == run_id))
    columns = checkpoints.c
    query = select(columns.games, columns.model_hash, columns.player)
    query = query.where(columns.run_id == run_id).order_by(columns.games)
    rows = {row.games: row for row in connection.execute(query)}
    if not rows:
        raise StoreError(f"the run {name!r} has no checkpoint yet: arena train --resume {name} continues it")
    row = rows.get(max(rows) if games == "last" else int(games))
    if row is None:
        known = [f"{name}@{each}" for each in rows]
        shown = ", ".join(known if len(known) <= _SHOWN else [*known[: _SHOWN // 2], "...", *known[-_SHOWN // 2 :]])
        raise StoreError(f"the run {name!r} has no checkpoint after {games} games; there are {shown}")
    return _stored(connection, f"{name}@{row.games}", row.model_hash, row.player, load)


def of_hash(connection: Connection, start: str, location: str, load: Load) -> StoredModel:
    """Return the model whose hash begins with ``start``. Raises StoreError unless there is exactly one."""
    hashes = connection.scalars(select(models.c.hash).where(models.c.hash.startswith(start)).limit(2)).all()
    if len(hashes) > 1:
        raise StoreError(f"{location} holds several models whose hash begins with {start}: write more digits of it")
    if not hashes:
        raise StoreError(f"{location} holds no model whose hash begins with {start}: arena models lists the models")
    key = hashes[0]
    specs = (
        select(checkpoints.c.player)
        .where(checkpoints.c.model_hash == key)
        .order_by(checkpoints.c.run_id, checkpoints.c.games),
        select(learned_models.c.spec).where(learned_models.c.model_hash == key),
    )
    player = next(filter(None, (connection.scalar(query.limit(1)) for query in specs)), None)
    return _stored(connection, f"@{key}", key, player, load)


def _stored(connection: Connection, name: str, key: str, player: str | None, load: Load) -> StoredModel:
    provenance = connection.execute(select(models.c.provenance).where(models.c.hash == key)).scalar_one()
    if not isinstance(provenance, dict) or not isinstance(player, str | None):
        raise TypeError(f"provenance or player of {name}")
    return StoredModel(name, load(key).called(name), player, provenance)
