"""Finding tournaments, runs, collections and players by what people call them, and what is there already."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, select

from arena.errors import StoreError
from arena.store.schema import collections, players, runs, tournament_players, tournaments

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 10
"""Names in a message."""


class PlayerIds(dict[str, int]):
    """Ids of the players of a tournament by canonical spec; StoreError for anybody else."""

    def __missing__(self, spec: str) -> int:
        raise StoreError(f"{spec} does not play in this tournament")


def insert_new(connection: Connection, table: Table) -> Any:
    """What inserts the rows that are not there already, in the database's own words; the other databases' take long to
    import."""
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    return dialect.insert(table).on_conflict_do_nothing()


def player_ids(connection: Connection, tournament_id: int) -> PlayerIds:
    """The players of a tournament."""
    query = (
        select(players.c.spec, players.c.id)
        .join(tournament_players)
        .where(tournament_players.c.tournament_id == tournament_id)
    )
    return PlayerIds(connection.execute(query).all())


def tournament_id(connection: Connection, which: str | int, location: str) -> int:
    """The id of the tournament of that name or id, or of the ``last``; StoreError where there is none."""
    names = _names(connection, tournaments)
    return _id(names, which, f"{location} holds no tournament", "arena tournament plays one")


def run_id(connection: Connection, which: str | int, location: str) -> int:
    """The id of the training run of that name or id, or of the ``last``; StoreError where there is none."""
    return _id(_names(connection, runs), which, f"{location} holds no run", "arena train makes one")


def collection_id(connection: Connection, name: str, location: str) -> int:
    """The id of the collection of that name; StoreError where there is none."""
    ids: dict[str, int] = dict(connection.execute(select(collections.c.name, collections.c.id)).all())
    if name not in ids:
        held = f"it holds {', '.join(ids)}" if ids else "arena import makes one"
        raise StoreError(f"{location} holds no collection {name!r}; {held}")
    return ids[name]


def _names(connection: Connection, things: Table) -> dict[str, int]:
    """Ids by names, the oldest first."""
    query = select(things.c.name, things.c.id).order_by(things.c.id)
    names: dict[str, int] = dict(connection.execute(query).all())
    return names


def _id(names: Mapping[str, int], which: str | int, missing: str, remedy: str) -> int:
    if not names:
        raise StoreError(f"{missing} yet: {remedy}")
    if which == "last":
        return max(names.values())
    if which in names:
        return names[str(which)]
    if str(which).isdecimal() and int(which) in names.values():
        return int(which)
    ids = ", ".join(f"{name} ({key})" for name, key in list(names.items())[-_SHOWN:])
    near = get_close_matches(str(which).lower(), names, n=1)
    raise StoreError(f"{missing} {which!r}; {f'did you mean {near[0]!r}? ' if near else ''}it holds {ids}")
