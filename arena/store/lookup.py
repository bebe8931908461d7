"""Finding a tournament or a collection by what people call it, and players by their specs."""

from __future__ import annotations

from sqlalchemy import Connection, select

from arena.errors import StoreError
from arena.store.schema import collections, players, tournament_players, tournaments


class PlayerIds(dict[str, int]):
    """Ids of the players of a tournament by canonical spec; StoreError for anybody else."""

    def __missing__(self, spec: str) -> int:
        raise StoreError(f"{spec} does not play in this tournament")


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
    query = select(tournaments.c.name, tournaments.c.id).order_by(tournaments.c.id)
    names: dict[str, int] = dict(connection.execute(query).all())
    if not names:
        raise StoreError(f"{location} holds no tournament yet: arena tournament plays one")
    if which == "last":
        return max(names.values())
    if which in names:
        return names[which]
    if str(which).isdecimal() and int(which) in names.values():
        return int(which)
    ids = ", ".join(f"{name} ({key})" for name, key in list(names.items())[-10:])
    raise StoreError(f"{location} holds no tournament {which!r}; it holds {ids}")


def collection_id(connection: Connection, name: str, location: str) -> int:
    """The id of the collection of that name; StoreError where there is none."""
    ids: dict[str, int] = dict(connection.execute(select(collections.c.name, collections.c.id)).all())
    if name not in ids:
        held = f"it holds {', '.join(ids)}" if ids else "arena import makes one"
        raise StoreError(f"{location} holds no collection {name!r}; {held}")
    return ids[name]
