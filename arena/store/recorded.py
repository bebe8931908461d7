"""Recorded games as learners study them, whoever played them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, select

from arena.errors import StoreError
from arena.record import GameRecord, Remarks
from arena.store import commentary, lookup
from arena.store.schema import collected_games, collections, games, players, tournaments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.store.database import Database

_ROWS = 500
"""Games that are fetched at a time."""
Query = Select[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """The boards of a game on record and how it ended."""

    key: int
    """Its id among the tournament's or the collection's games."""
    boards: bytes
    """(plies + 1) x 3 little-endian uint32: black, white, kings."""
    first: str
    """Side to move on the first board: ``black`` or ``white``."""
    result: str
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2``."""
    comments: tuple[str, ...] = ()
    """For each board what is said of it; nothing at all where nothing is said."""
    marks: tuple[str, ...] = ()
    """For each move ``!``, ``?``, ...; nothing at all where no move is marked."""


def of_collection(database: Database, name: str) -> Iterator[RecordedGame]:
    """The games of a collection whose result is known, in the order of their files."""
    columns = (collected_games.c[column] for column in ("id", "boards", "fen", "result", "comments"))
    query: Query = (
        select(*columns)
        .join(collections)
        .where(collections.c.name == name, collected_games.c.result != "*")
        .order_by(collected_games.c.file, collected_games.c.number)
    )
    with database.engine.connect().execution_options(yield_per=_ROWS) as connection:
        for row in connection.execute(query):
            first = "white" if row.fen.startswith("W") else "black"
            yield RecordedGame(row.id, row.boards, first, row.result, *commentary.read(row.comments))


def of_tournament(database: Database, which: str | int) -> Iterator[RecordedGame]:
    """The games of a tournament in schedule order, those that somebody forfeited left out."""
    columns = (games.c[column] for column in ("id", "boards", "first", "result"))
    with database.engine.connect().execution_options(yield_per=_ROWS) as connection:
        key = lookup.tournament_id(connection, which, database.location)
        query: Query = (
            select(*columns)
            .where(games.c.tournament_id == key, games.c.guilty.is_(None))
            .order_by(games.c.pairing, games.c.round)
        )
        for row in connection.execute(query):
            yield RecordedGame(row.id, row.boards, row.first, row.result)


def has_collection(database: Database, name: str) -> bool:
    """Whether there is a collection of that name."""
    with database.engine.connect() as connection:
        return connection.scalar(select(collections.c.id).where(collections.c.name == name)) is not None


def has_tournament(database: Database, which: str) -> bool:
    """Whether there is a tournament of that name or id, or any where it is ``last``."""
    with database.engine.connect() as connection:
        names = dict(connection.execute(select(tournaments.c.name, tournaments.c.id)).all())
    return which in names or (which == "last" and bool(names)) or which in map(str, names.values())


def game(database: Database, key: int, tournament: str | int | None = None) -> tuple[int, GameRecord]:
    """The game of that id, and the id of its tournament: the last one that has it, unless one is named.

    Raises StoreError where there is none.
    """
    black, white = players.alias(), players.alias()
    query: Query = (
        select(games, black.c.spec.label("black"), white.c.spec.label("white"))
        .join(black, black.c.id == games.c.black_id)
        .join(white, white.c.id == games.c.white_id)
        .where(games.c.id == key)
        .order_by(games.c.tournament_id.desc())
    )
    with database.engine.connect() as connection:
        if tournament is not None:
            query = query.where(
                games.c.tournament_id == lookup.tournament_id(connection, tournament, database.location)
            )
        row = connection.execute(query).first()
    if row is None:
        where = "" if tournament is None else f" in tournament {tournament!r}"
        raise StoreError(f"{database.location} holds no game {key}{where}; arena results games lists them")
    return row.tournament_id, _record(row)


def _record(row: Any) -> GameRecord:
    return GameRecord(
        pairing=row.pairing,
        round=row.round,
        seed=row.id,
        opening=row.opening,
        black=row.black,
        white=row.white,
        first=row.first,
        boards=row.boards,
        movetext=row.moves,
        result=row.result,
        termination=row.termination,
        guilty=row.guilty,
        reason=row.reason,
        remarks=Remarks(row.scores, row.depths, row.nodes, row.seconds, row.pvs),
        started=row.started,
    )
