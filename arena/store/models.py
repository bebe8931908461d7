"""Models on record, each of them once: their key is their hash."""

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
    """Reads the model of a hash."""

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model on record."""

    name: str
    """The one text of the name by which it was found: ``lms@500``, or ``@`` and the whole hash."""
    model: Model
    """Named ``name``."""
    player: str | None
    """Spec of what plays it, as its learner has it; None where nobody said."""
    provenance: Mapping[str, str]
    """What made it first: command, seed, versions, ..."""


def add(connection: Connection, model: Model, provenance: Mapping[str, str]) -> bool:
    """Put a model on record, in the transaction that is open; whether it was not there before."""
    row = {
        "hash": model.hash,
        "kind": model.kind,
        "data": model.to_bytes(),
        "provenance": dict(provenance),
        "added": time.time(),
    }
    return connection.execute(lookup.insert_new(connection, models), row).rowcount == 1


def read(connection: Connection, key: str) -> Model:
    """The model of that hash, which must be on record, named ``@`` and the hash."""
    return Model.stored(f"@{key}", connection.execute(select(models.c.data).where(models.c.hash == key)).scalar_one())


def of_run(connection: Connection, run: str, games: str, location: str, load: Load) -> StoredModel:
    """The model of a run after ``games`` games, or at its ``last`` checkpoint; StoreError where there is none."""
    run_id = lookup.run_id(connection, run, location)
    name = connection.scalar(select(runs.c.name).where(runs.c.id == run_id))
    here = checkpoints.c
    query = select(here.games, here.model_hash, here.player).where(here.run_id == run_id).order_by(here.games)
    rows = {row.games: row for row in connection.execute(query)}
    if not rows:
        raise StoreError(f"the run {name!r} has no checkpoint yet: arena train --resume {name} goes on with it")
    row = rows.get(max(rows) if games == "last" else int(games))
    if row is None:
        there = [f"{name}@{each}" for each in rows]
        shown = ", ".join(there if len(there) <= _SHOWN else [*there[: _SHOWN // 2], "...", *there[-_SHOWN // 2 :]])
        raise StoreError(f"the run {name!r} has no checkpoint after {games} games; there are {shown}")
    return _stored(connection, f"{name}@{row.games}", row.model_hash, row.player, load)


def of_hash(connection: Connection, start: str, location: str, load: Load) -> StoredModel:
    """The model whose hash begins with ``start``; StoreError where there is none or more than one."""
    found = connection.scalars(select(models.c.hash).where(models.c.hash.startswith(start)).limit(2)).all()
    if len(found) > 1:
        raise StoreError(f"{location} holds several models whose hash begins with {start}: write more of it")
    if not found:
        raise StoreError(f"{location} holds no model whose hash begins with {start}: arena models lists those it has")
    specs = (
        select(checkpoints.c.player).where(checkpoints.c.model_hash == found[0]),
        select(learned_models.c.spec).where(learned_models.c.model_hash == found[0]),
    )
    player = next(filter(None, (connection.scalar(query.limit(1)) for query in specs)), None)
    return _stored(connection, f"@{found[0]}", found[0], player, load)


def _stored(connection: Connection, name: str, key: str, player: str | None, load: Load) -> StoredModel:
    provenance = connection.execute(select(models.c.provenance).where(models.c.hash == key)).scalar_one()
    if not isinstance(provenance, dict) or not isinstance(player, str | None):
        raise TypeError(f"provenance or player of {name}")
    return StoredModel(name, load(key).called(name), player, provenance)
