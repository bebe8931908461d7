"""Finding tournaments, games, runs, collections and players by what people call them, and what is there already."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Table, select

from arena.errors import StoreError, UsageError, shown
from arena.store.schema import (
    collections,
    experiments,
    games,
    pairings,
    players,
    runs,
    tournament_players,
    tournaments,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 10
"""Names in a message."""
_COMPARED = 100
"""Characters of an unknown name that are compared with the known ones."""
_ID_DIGITS = 19
"""Digits of the largest 63-bit number."""


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


def game_key(connection: Connection, which: str | int, tournament: str | int | None, location: str) -> tuple[int, int]:
    """The tournament's id and the game's id of a game; StoreError if there is none.

    ``which`` is the game's id, which is looked for in the last tournament first; ``TOURNAMENT/NUMBER``; ``last``, the
    game that started last; or ``TOURNAMENT/last``. ``tournament`` narrows to one.
    """
    place, slash, name = str(which).rpartition("/")
    if slash:
        if tournament is not None:
            raise UsageError(f"{shown(which)} names its tournament: leave {shown(tournament)} out")
        tournament = place
    if not (name == "last" or (name.isascii() and name.isdecimal() and len(name) <= _ID_DIGITS)):
        raise UsageError(f"a game is named by its id, as TOURNAMENT/NUMBER (t2/17) or as 'last', not {shown(which)}")
    if tournament is None and name == "last":
        tournament = "last"
    query = select(games.c.tournament_id, games.c.id).order_by(games.c.tournament_id.desc())
    if tournament is not None:
        query = query.where(games.c.tournament_id == tournament_id(connection, tournament, location))
    if name == "last":
        query = query.order_by(games.c.started.desc(), games.c.id)
    elif slash:
        numbered = (pairings.c.tournament_id == games.c.tournament_id) & (pairings.c.pairing == games.c.pairing)
        query = query.join(pairings, numbered).where(pairings.c.first + games.c.round == int(name))
    else:
        query = query.where(games.c.id == int(name))
    found = connection.execute(query.limit(1)).first()
    if found is None:
        where = "" if slash or tournament is None else f" in tournament {shown(tournament)}"
        raise StoreError(f"{location} holds no game {which}{where}; arena results games lists them")
    return found[0], found[1]


def run_id(connection: Connection, which: str | int, location: str) -> int:
    """The id of the training run of that name or id, or of the ``last``; StoreError where there is none."""
    return _id(_names(connection, runs), which, f"{location} holds no run", "arena train makes one")


def experiment_id(connection: Connection, which: str | int, location: str) -> int:
    """The id of the experiment of that name or id, or of the ``last``; StoreError if there is none."""
    names = _names(connection, experiments)
    return _id(names, which, f"{location} holds no experiment", "arena experiment run FILE.toml makes one")


def collection_id(connection: Connection, name: str, location: str) -> int:
    """The id of the collection of that name; StoreError where there is none."""
    ids: dict[str, int] = dict(connection.execute(select(collections.c.name, collections.c.id)).all())
    if name not in ids:
        held = f"it holds {', '.join(ids)}" if ids else "arena import makes one"
        raise StoreError(f"{location} holds no collection {shown(name)}; {held}")
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
    if str(which) in (by_number := {str(key): key for key in names.values()}):
        return by_number[str(which)]
    ids = ", ".join(f"{name} ({key})" for name, key in list(names.items())[-_SHOWN:])
    near = get_close_matches(str(which)[:_COMPARED].lower(), names, n=1)
    raise StoreError(f"{missing} {shown(which)}; {f'did you mean {near[0]!r}? ' if near else ''}it holds {ids}")
