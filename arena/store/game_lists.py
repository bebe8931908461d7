"""Long lists of games, page by page.

A page starts after a key, the last one of the page before, so that any page of a million games is found by an index
(keyset pagination). Conditions on games of tournaments use only columns of the index ``games_results``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import func, or_, select, tuple_

from arena.errors import NotOnRecord
from arena.store.schema import collected_games, collections, games, pairings, players, tournaments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection, Row, Select

    Outcome = Literal["1-0", "0-1", "1/2-1/2", "*", "forfeit"]
    Key = Sequence[int | str]

PLAYED_KEY = ("tournament_id", "black_id", "white_id", "round")
"""Columns that order the games of tournaments. They are the first columns of the index ``games_results``."""
COLLECTED_KEY = ("file", "number", "id")
"""Columns that order the games of a collection. The first two are in the index ``collected_games_place``."""
_COLLECTED = ("id", "file", "number", "event", "date", "black", "white", "result", "plies")


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions on the games of a list."""

    tournament: int | None = None
    """Id of a tournament; None: all."""
    player: str = ""
    """Part of the spec or name of one of the players; upper and lower case are equal."""
    result: Outcome | None = None
    """Result, or ``forfeit``; None: all."""


def played(connection: Connection, conditions: Conditions, after: Key | None, size: int) -> list[Row[Any]]:
    """Return the next ``size`` games of tournaments, ordered by :data:`PLAYED_KEY`, which the rows contain.

    The rows also have id, tournament (its name), number, black, white (specs), result, termination, forfeited_by and
    plies. ``number`` is the number of the game in its tournament, or None.
    """
    key = [games.c[name] for name in PLAYED_KEY]
    chosen = select(*key).order_by(*key).limit(size)
    if after is not None:
        chosen = chosen.where(tuple_(*key) > tuple_(*after))
    if conditions.tournament is not None:
        chosen = chosen.where(games.c.tournament_id == conditions.tournament)
    if conditions.player:
        ids = connection.scalars(
            select(players.c.id).where(players.c.spec.icontains(conditions.player, autoescape=True))
        ).all()
        chosen = chosen.where(or_(games.c.black_id.in_(ids), games.c.white_id.in_(ids)))
    if conditions.result == "forfeit":
        chosen = chosen.where(games.c.forfeited_by.is_not(None))
    elif conditions.result is not None:
        chosen = chosen.where(games.c.result == conditions.result)
    part = chosen.subquery()
    black, white = players.alias(), players.alias()
    block = (pairings.c.tournament_id == games.c.tournament_id) & (pairings.c.pairing == games.c.pairing)
    block &= (pairings.c.round <= games.c.round) & (games.c.round < pairings.c.round + pairings.c.games)
    columns = ("id", *PLAYED_KEY, "result", "termination", "forfeited_by", "plies")
    query = (
        select(
            *(games.c[name] for name in columns),
            tournaments.c.name.label("tournament"),
            (pairings.c.first + games.c.round - pairings.c.round).label("number"),
            black.c.spec.label("black"),
            white.c.spec.label("white"),
        )
        .select_from(part)
        .join(games, tuple_(*key) == tuple_(*(part.c[name] for name in PLAYED_KEY)))
        .join(tournaments, tournaments.c.id == games.c.tournament_id)
        .join(black, black.c.id == games.c.black_id)
        .join(white, white.c.id == games.c.white_id)
        .outerjoin(pairings, block)
        .order_by(*key)
    )
    return list(connection.execute(query))


def collected(
    connection: Connection, collection: int, conditions: Conditions, after: Key | None, size: int
) -> list[Row[Any]]:
    """Return the next ``size`` games of a collection, ordered by :data:`COLLECTED_KEY`, which the rows contain.

    The rows also have event, date, black, white (names or None), result and plies.
    """
    key = [collected_games.c[name] for name in COLLECTED_KEY]
    query: Select[*tuple[Any, ...]] = select(*(collected_games.c[name] for name in _COLLECTED)).order_by(*key)
    query = query.where(collected_games.c.collection_id == collection).limit(size)
    if after is not None:
        query = query.where(tuple_(*key) > tuple_(*after))
    if conditions.player:
        sides = (collected_games.c.black, collected_games.c.white)
        query = query.where(or_(*(side.icontains(conditions.player, autoescape=True) for side in sides)))
    if conditions.result is not None:
        query = query.where(collected_games.c.result == conditions.result)
    return list(connection.execute(query))


def collected_game(connection: Connection, collection: int, game: int) -> Row[Any]:
    """Return all columns of an imported game, and the name of its ``collection``. Raises NotOnRecord without it."""
    query = (
        select(collected_games, collections.c.name.label("collection"))
        .join(collections)
        .where(collected_games.c.collection_id == collection, collected_games.c.id == game)
    )
    row = connection.execute(query).first()
    if row is None:
        raise NotOnRecord(f"collection {collection} holds no game {game}")
    return row


def number_of_games(connection: Connection, collection: int) -> int:
    """Return the number of games of a collection."""
    query = select(func.count()).where(collected_games.c.collection_id == collection)
    return int(connection.scalar(query) or 0)
