"""Looking up the ids of tournaments, games, runs, collections and players by name."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Table, func, select

from arena.errors import NotOnRecord, StoreError, UsageError, shown
from arena.store.schema import (
    collected_games,
    collections,
    experiments,
    games,
    pairings,
    player_changes,
    players,
    runs,
    tournament_players,
    tournaments,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

_SHOWN = 10
"""Maximum number of names in a message."""
_COMPARED = 100
"""Number of characters of an unknown name that are compared with the known names."""
_ID_DIGITS = 19
"""Number of digits of the largest 63-bit number."""
_LARGEST_ID = 2**63 - 1


class PlayerIds(dict[str, int]):
    """Ids of the players of a tournament by canonical spec. An unknown spec raises StoreError."""

    def __missing__(self, spec: str) -> int:
        raise StoreError(f"{spec} does not play in this tournament")


class GameKey(NamedTuple):
    """A game of a tournament or of a collection. The id of the other one is None."""

    tournament_id: int | None
    collection_id: int | None
    game_id: int

    @classmethod
    def played(cls, tournament_id: int, game_id: int) -> GameKey:
        """Return the key of a game of a tournament."""
        return cls(tournament_id, None, game_id)


def insert_new(connection: Connection, table: Table) -> Any:
    """Return a statement that inserts rows and skips those whose key exists. Its ``rowcount`` counts the new rows.

    The statement is specific to the dialect. Only the dialect in use is imported, since each import takes long.
    """
    dialect = import_module(f"sqlalchemy.dialects.{connection.dialect.name}")
    return dialect.insert(table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)


def player_ids(connection: Connection, tournament_id: int) -> PlayerIds:
    """Return the ids of the players of a tournament by canonical spec."""
    query = (
        select(players.c.spec, players.c.id)
        .join(tournament_players)
        .where(tournament_players.c.tournament_id == tournament_id)
    )
    return PlayerIds(connection.execute(query).all())


def last_change(connection: Connection, tournament_id: int) -> int | None:
    """Return the number of the last player change of a tournament; None if there is none."""
    query = select(func.max(player_changes.c.number)).where(player_changes.c.tournament_id == tournament_id)
    last: int | None = connection.scalar(query)
    return last


def tournament_id(connection: Connection, which: str | int, location: str) -> int:
    """Return the id of the tournament with the name or id ``which``, or of the ``last`` one.

    Raises StoreError if it does not exist.
    """
    names = _names(connection, tournaments)
    return _id(names, which, f"{location} holds no tournament", "arena tournament plays one")


def game_key(connection: Connection, which: str | int, tournament: str | int | None, location: str) -> tuple[int, int]:
    """Return the tournament's id and the game's id of a game. Raises StoreError if it does not exist.

    ``which`` has one of four forms: the id of the game; ``TOURNAMENT/NUMBER``; ``TOURNAMENT/last``, the game of the
    tournament that started last; or ``last``, the same for the last tournament. Several tournaments can have games of
    the same id. An id means the game of the last of them, unless ``tournament`` limits the search to one tournament.
    """
    prefix, slash, name = str(which).rpartition("/")
    if slash:
        if tournament is not None:
            raise UsageError(f"{shown(which)} names its tournament: leave {shown(tournament)} out")
        tournament = prefix
    if not (name == "last" or (name.isascii() and name.isdecimal() and len(name) <= _ID_DIGITS)):
        raise UsageError(f"a game is named by its id, as TOURNAMENT/NUMBER (t2/17) or as 'last', not {shown(which)}")
    if name != "last" and int(name) > _LARGEST_ID:
        raise NotOnRecord(f"{location} holds no game {which}: ids and numbers are smaller")
    if tournament is None and name == "last":
        tournament = "last"
    query = select(games.c.tournament_id, games.c.id).order_by(games.c.tournament_id.desc())
    if tournament is not None:
        query = query.where(games.c.tournament_id == tournament_id(connection, tournament, location))
    if name == "last":
        query = query.order_by(games.c.started.desc(), games.c.id)
    elif slash:
        number = int(name)
        block = (pairings.c.tournament_id == games.c.tournament_id) & (pairings.c.pairing == games.c.pairing)
        holds_it = (pairings.c.first <= number) & (number < pairings.c.first + pairings.c.games)
        place = games.c.round == pairings.c.round + number - pairings.c.first
        query = query.join(pairings, block & holds_it & place)
    else:
        query = query.where(games.c.id == int(name))
    row = connection.execute(query.limit(1)).first()
    if row is None:
        where = "" if slash or tournament is None else f" in tournament {shown(tournament)}"
        raise NotOnRecord(f"{location} holds no game {which}{where}; arena results games lists them")
    return row[0], row[1]


def any_game_key(connection: Connection, which: str | int, location: str) -> GameKey:
    """Return the key of a game of a tournament or collection. Raises StoreError if it does not exist.

    ``which`` names a game of a tournament as in :func:`game_key`, or is ``COLLECTION/NUMBER`` with the number of an
    imported game in its PDN file or its id, or its id alone. Tournaments come first.
    """
    prefix, slash, name = str(which).rpartition("/")
    ids = _names(connection, collections)
    if slash and prefix in ids and prefix not in _names(connection, tournaments):
        return GameKey(None, ids[prefix], _collected_id(connection, prefix, ids[prefix], name, location))
    if not slash and name.isascii() and name.isdecimal() and len(name) <= _ID_DIGITS:
        played = select(games.c.id).where(games.c.id == int(name))
        imported = select(collected_games.c.collection_id).where(collected_games.c.id == int(name))
        key = connection.scalar(imported.order_by(collected_games.c.collection_id.desc()))
        if key is not None and connection.scalar(played) is None:
            return GameKey(None, key, int(name))
    return GameKey.played(*game_key(connection, which, None, location))


def _collected_id(connection: Connection, collection: str, key: int, name: str, location: str) -> int:
    """Return the id of a game of a collection, by its id or by its number in its file."""
    here = collected_games.c
    found: list[int] = []
    if name.isascii() and name.isdecimal() and len(name) <= _ID_DIGITS:
        for column in (here.id, here.number):
            if not found:
                query = select(here.id).where(here.collection_id == key, column == int(name)).order_by(here.file)
                found = list(connection.scalars(query))
    if not found:
        raise StoreError(f"{location} holds no game {shown(name)} of the collection {shown(collection)}")
    if len(found) > 1:
        ids = ", ".join(map(str, found[:_SHOWN]))
        raise StoreError(f"several files of {shown(collection)} have a game {name}: name it by its id, one of {ids}")
    return found[0]


def run_id(connection: Connection, which: str | int, location: str) -> int:
    """Return the id of the training run with the name or id ``which``, or of the ``last`` one.

    Raises StoreError if it does not exist.
    """
    return _id(_names(connection, runs), which, f"{location} holds no run", "arena train makes one")


def experiment_id(connection: Connection, which: str | int, location: str) -> int:
    """The id of the experiment of that name or id, or of the ``last``; StoreError if there is none."""
    names = _names(connection, experiments)
    return _id(names, which, f"{location} holds no experiment", "arena experiment run FILE.toml makes one")


def collection_id(connection: Connection, name: str, location: str) -> int:
    """Return the id of the collection with that name. Raises StoreError if it does not exist."""
    ids: dict[str, int] = dict(connection.execute(select(collections.c.name, collections.c.id)).all())
    if name not in ids:
        held = f"it holds {', '.join(ids)}" if ids else "arena import makes one"
        raise NotOnRecord(f"{location} holds no collection {shown(name)}; {held}")
    return ids[name]


def _names(connection: Connection, named: Table) -> dict[str, int]:
    """Return the ids of a table's rows by name, the oldest row first."""
    query = select(named.c.name, named.c.id).order_by(named.c.id)
    names: dict[str, int] = dict(connection.execute(query).all())
    return names


def _id(names: Mapping[str, int], which: str | int, missing: str, remedy: str) -> int:
    if not names:
        raise NotOnRecord(f"{missing} yet: {remedy}")
    if which == "last":
        return max(names.values())
    if which in names:
        return names[str(which)]
    if str(which) in (by_number := {str(key): key for key in names.values()}):
        return by_number[str(which)]
    ids = ", ".join(f"{name} ({key})" for name, key in list(names.items())[-_SHOWN:])
    near = get_close_matches(str(which)[:_COMPARED].lower(), names, n=1)
    raise NotOnRecord(f"{missing} {shown(which)}; {f'did you mean {near[0]!r}? ' if near else ''}it holds {ids}")
