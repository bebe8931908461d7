"""Finding and deleting what nothing in the database refers to: models, players and collections."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import delete, func, select

from arena.store.schema import (
    checkpoints,
    collected_games,
    collections,
    experiment_candidates,
    experiment_checkpoints,
    experiments,
    learned_models,
    models,
    players,
    runs,
    saved_games,
    tournament_players,
    tournaments,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Table

_HASH = re.compile(r"@([0-9a-f]{6,32})")
_ROWS = 500


class Unused(NamedTuple):
    """Something that nothing refers to."""

    what: str
    """``model``, ``player`` or ``collection``."""
    name: str
    """Hash of a model, spec of a player, name of a collection."""
    bytes: int
    """Size of a model; 0 for the others."""
    key: Any
    """Its primary key."""


_TABLES: dict[str, tuple[Table, str]] = {
    "model": (models, "hash"),
    "player": (players, "id"),
    "collection": (collections, "id"),
}


def unused(connection: Connection) -> list[Unused]:
    """Return what nothing refers to, sorted by what it is and by name.

    - A model that no checkpoint, run, player, learned model or spec uses. Models that were imported but never used are
      among them.
    - A player that is in no tournament.
    - A collection without games.
    """
    entered = select(tournament_players.c.player_id).union(select(experiment_checkpoints.c.player_id))
    idle = select(players.c.id, players.c.spec).where(players.c.id.not_in(entered))
    found = [Unused("player", spec, 0, key) for key, spec in connection.execute(idle)]
    held = select(collected_games.c.collection_id)
    empty = select(collections.c.id, collections.c.name).where(collections.c.id.not_in(held))
    found += [Unused("collection", name, 0, key) for key, name in connection.execute(empty)]
    used, starts = _used_models(connection, {each.key for each in found if each.what == "player"})
    sizes = select(models.c.hash, func.length(models.c.data))
    found += [
        Unused("model", key, size, key)
        for key, size in connection.execute(sizes)
        if key not in used and not any(key[:length] in part for length, part in starts.items())
    ]
    return sorted(found)


def delete_unused(connection: Connection) -> None:
    """Delete what :func:`unused` returns, in the open transaction."""
    found = unused(connection)
    for what, (table, name) in _TABLES.items():
        keys = [each.key for each in found if each.what == what]
        for at in range(0, len(keys), _ROWS):
            connection.execute(delete(table).where(table.c[name].in_(keys[at : at + _ROWS])))


def compact(connection: Connection) -> None:
    """Give the free space of an SQLite file back to the disk."""
    if connection.dialect.name == "sqlite":
        driver: Any = connection.connection.driver_connection
        driver.execute("VACUUM")


def _used_models(connection: Connection, idle: set[int]) -> tuple[set[str], dict[int, set[str]]]:
    """Return the hashes of the models in use, and the first digits by which specs name models, by their number."""
    used = {
        str(each)
        for column in (checkpoints.c.model_hash, learned_models.c.model_hash, runs.c.weights)
        for each in connection.scalars(select(column).distinct())
        if each is not None
    }
    starts: dict[int, set[str]] = {}
    for text in _texts(connection, idle):
        for digits in _HASH.findall(text):
            starts.setdefault(len(digits), set()).add(digits)
    return used, starts


def _texts(connection: Connection, idle: set[int]) -> Iterator[str]:
    """Yield all texts that can name models, except those of the players ``idle``."""
    for key, spec, weights in connection.execute(select(players.c.id, players.c.spec, players.c.weights)):
        if key not in idle:
            yield f"{spec} @{weights or ''}"
    specs = (
        *(runs.c.learner, checkpoints.c.player, learned_models.c.spec),
        *(experiment_candidates.c.spec, saved_games.c.black, saved_games.c.white),
    )
    for column in specs:
        yield from (each or "" for each in connection.scalars(select(column).distinct()))
    for column in (runs.c.settings, tournaments.c.settings, experiments.c.settings, saved_games.c.state):
        yield from (json.dumps(each) for each in connection.scalars(select(column)))
