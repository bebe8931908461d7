"""Recorded games as PDN texts: games of tournaments and games of collections."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, null, or_, select

from arena.checkers.board import Board
from arena.checkers.move import Side
from arena.checkers.pdn import game_text
from arena.store import lookup
from arena.store.annotations import added, annotator_of, of_pdn, pdn_notes
from arena.store.collector import ROSTER
from arena.store.decoding import decoding
from arena.store.lookup import GameKey
from arena.store.schema import collected_games, games, players, tournaments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Row

    from arena.store.annotations import Annotation
    from arena.store.database import Database

_ROWS = 500
"""Number of games fetched at a time."""
Query = Select[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions that exported games satisfy; None means no condition. See :meth:`arena.store.results.Results.pdn`."""

    tournament: str | int | None = None
    collection: str | None = None
    player: str | None = None
    result: str | None = None
    game: str | int | None = None


def pdn(database: Database, location: str, selection: Selection) -> Iterator[str]:
    """Return an iterator over the PDN texts of a selection.

    Raises StoreError, before the first game, if the tournament, collection or game does not exist.
    """
    parts: list[tuple[Query, Callable[[Row[Any], Sequence[Annotation]], str]]] = []
    with database.engine.connect() as connection:
        annotations = added(connection)
        if selection.game is not None or selection.tournament is not None or selection.collection is None:
            parts.append((_played(connection, location, selection), _played_text))
        if selection.game is None and (selection.collection is not None or selection.tournament is None):
            parts.append((_collected(connection, location, selection), collected_text))

    def texts() -> Iterator[str]:
        for query, text in parts:
            connect = database.engine.connect().execution_options(yield_per=_ROWS)
            with decoding(location), connect as connection:
                for row in connection.execute(query):
                    yield text(row, annotations.get(GameKey(row.tournament_id, row.collection_id, row.id), ()))

    return texts()


def _played(connection: Connection, location: str, selection: Selection) -> Query:
    """Return the query for games of tournaments, ordered by tournament, pairing and round."""
    black, white = players.alias(), players.alias()
    query: Query = (
        select(
            tournaments.c.name.label("event"),
            black.c.spec.label("black"),
            white.c.spec.label("white"),
            *(games.c.tournament_id, null().label("collection_id"), games.c.id),
            *(games.c[name] for name in ("round", "opening", "result", "termination", "first", "moves", "started")),
            func.substr(games.c.boards, 1, 12).label("start"),
        )
        .select_from(games)
        .join(tournaments, tournaments.c.id == games.c.tournament_id)
        .join(black, black.c.id == games.c.black_id)
        .join(white, white.c.id == games.c.white_id)
        .order_by(games.c.tournament_id, games.c.pairing, games.c.round)
    )
    if selection.game is not None:
        tournament_id, game = lookup.game_key(connection, selection.game, selection.tournament, location)
        query = query.where(games.c.tournament_id == tournament_id, games.c.id == game)
    elif selection.tournament not in (None, "all"):
        key = lookup.tournament_id(connection, selection.tournament, location)
        query = query.where(games.c.tournament_id == key)
    if selection.player is not None:
        names = (black.c.spec, black.c.name, white.c.spec, white.c.name)
        query = query.where(or_(*(name.icontains(selection.player, autoescape=True) for name in names)))
    return query if selection.result is None else query.where(games.c.result == selection.result)


def _played_text(row: Row[Any], annotations: Sequence[Annotation]) -> str:
    black, white, kings = struct.unpack("<3I", row.start)
    tags = {
        "Event": row.event,
        "Date": f"{datetime.fromtimestamp(row.started, UTC):%Y.%m.%d}",
        "Round": str(row.round),
        "Black": row.black,
        "White": row.white,
        "Opening": row.opening,
        "Termination": row.termination,
    }
    moves, start = row.moves.split(), Board(black, white, kings, Side[row.first.upper()])
    annotators = {each.annotator for each in annotations}
    if len(annotators) == 1:
        tags["Annotator"] = str(*annotators)
    return game_text(moves, row.result, tags, start, *_notes(annotations, len(moves), tags))


def _collected(connection: Connection, location: str, selection: Selection) -> Query:
    """Return the query for games of collections, ordered by collection, file and number in the file."""
    names = ("collection_id", "id", *ROSTER, "tags", "result", "fen", "moves", "comments")
    query: Query = (
        select(null().label("tournament_id"), *(collected_games.c[name] for name in names))
        .select_from(collected_games)
        .order_by(*(collected_games.c[name] for name in ("collection_id", "file", "number")))
    )
    if selection.collection not in (None, "all"):
        key = lookup.collection_id(connection, selection.collection, location)
        query = query.where(collected_games.c.collection_id == key)
    if selection.player is not None:
        sides = (collected_games.c.black, collected_games.c.white)
        query = query.where(or_(*(side.icontains(selection.player, autoescape=True) for side in sides)))
    return query if selection.result is None else query.where(collected_games.c.result == selection.result)


def collected_text(row: Row[Any], annotations: Sequence[Annotation]) -> str:
    """Return the PDN text of an imported game; ``row`` has the columns of the table ``collected_games``."""
    tags = {name.capitalize(): getattr(row, name) for name in ROSTER if getattr(row, name) is not None}
    moves = row.moves.split()
    notes = _notes([*of_pdn(row.comments, row.tags), *annotations], len(moves), row.tags)
    return game_text(moves, row.result, tags | row.tags, Board.from_fen(row.fen), *notes)


def _notes(
    annotations: Sequence[Annotation], plies: int, tags: Mapping[str, str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Return comments and marks for PDN; both are empty if there are no annotations."""
    return pdn_notes(annotations, plies, annotator_of(tags)) if annotations else ((), ())
