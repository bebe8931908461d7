"""Reading recorded games one by one: as training games for learners, or a single game as a :class:`GameRecord`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, literal, or_, select

from arena.contracts.record import BLACK_POINTS, GameRecord, PlyInfo
from arena.store import commentary, lookup
from arena.store.annotations import added
from arena.store.decoding import checked_boards, decoding
from arena.store.lookup import GameKey
from arena.store.recorder import SHARED
from arena.store.schema import collected_games, collections, games, move_annotations, players, tournaments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np

    from arena.store.annotations import Annotation
    from arena.store.database import Database

_ROWS = 500
"""Number of games fetched at a time."""
Query = Select[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """The boards and the result of a recorded game."""

    key: int
    """Id of the game in its tournament or collection."""
    boards: bytes
    """(plies + 1) x 3 little-endian uint32: black, white, kings."""
    first: str
    """Side to move on the first board: ``black`` or ``white``."""
    result: str
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2`` draw."""
    comments: tuple[str, ...] = ()
    """Comment on each board, possibly empty. An empty tuple if no board has a comment."""
    marks: tuple[str, ...] = ()
    """Mark of each move (``!``, ``?``, ...), possibly empty. An empty tuple if no move has a mark."""
    annotations: tuple[Annotation, ...] = ()
    """The annotations that people added."""


def of_collection(database: Database, name: str, *, annotated: bool = False) -> Iterator[RecordedGame]:
    """Yield the games of a collection with a known result, ordered by file and number in the file.

    ``annotated``: only games with annotations.
    """
    here = collected_games.c
    connect = database.engine.connect().execution_options(yield_per=_ROWS)
    with decoding(database.location), connect as connection:
        key = lookup.collection_id(connection, name, database.location)
        notes = added(connection, move_annotations.c.collection_id == key)
        query: Query = (
            select(*(here[column] for column in ("id", "boards", "fen", "result", "comments")))
            .where(here.collection_id == key, here.result != "*")
            .order_by(here.file, here.number)
        )
        if annotated:
            own = select(move_annotations.c.game_id).where(move_annotations.c.collection_id == key)
            query = query.where(or_(here.comments.is_not(None), here.id.in_(own)))
        for row in connection.execute(query):
            first = "white" if row.fen.startswith("W") else "black"
            texts = commentary.read(row.comments)
            own_notes = tuple(notes.get(GameKey(None, key, row.id), ()))
            yield RecordedGame(row.id, checked_boards(row.boards), first, row.result, *texts, own_notes)


def of_tournament(database: Database, which: str | int, *, annotated: bool = False) -> Iterator[RecordedGame]:
    """Yield the games of a tournament, ordered by pairing and round, without forfeits.

    ``annotated``: only games with annotations.
    """
    columns = (games.c[column] for column in ("id", "boards", "first", "result"))
    connect = database.engine.connect().execution_options(yield_per=_ROWS)
    with decoding(database.location), connect as connection:
        key = lookup.tournament_id(connection, which, database.location)
        notes = added(connection, move_annotations.c.tournament_id == key)
        query: Query = (
            select(*columns)
            .where(games.c.tournament_id == key, games.c.forfeited_by.is_(None))
            .order_by(games.c.pairing, games.c.round)
        )
        if annotated:
            own = select(move_annotations.c.game_id).where(move_annotations.c.tournament_id == key)
            query = query.where(games.c.id.in_(own))
        for row in connection.execute(query):
            own_notes = tuple(notes.get(GameKey.played(key, row.id), ()))
            boards = checked_boards(row.boards)
            yield RecordedGame(row.id, boards, row.first, row.result, annotations=own_notes)


def annotated_sources(database: Database) -> tuple[list[str], list[str]]:
    """Return the names of the tournaments, and of the collections, with annotated games, the oldest first."""
    of_people = move_annotations.c
    commented = select(collected_games.c.collection_id).where(collected_games.c.comments.is_not(None))
    played = select(tournaments.c.name).where(tournaments.c.id.in_(select(of_people.tournament_id)))
    imported = select(collections.c.name).where(
        or_(collections.c.id.in_(select(of_people.collection_id)), collections.c.id.in_(commented))
    )
    with decoding(database.location), database.engine.connect() as connection:
        return (
            list(connection.scalars(played.order_by(tournaments.c.id))),
            list(connection.scalars(imported.order_by(collections.c.id))),
        )


def has_collection(database: Database, name: str) -> bool:
    """Whether a collection of that name exists."""
    with database.engine.connect() as connection:
        return connection.scalar(select(collections.c.id).where(collections.c.name == name)) is not None


def tournament_name(database: Database, which: str) -> str | None:
    """Return the name of the tournament with the name or id ``which``, or of the ``last`` one; None: there is none."""
    with database.engine.connect() as connection:
        query = select(tournaments.c.name, tournaments.c.id).order_by(tournaments.c.id)
        ids: dict[str, int] = dict(connection.execute(query).all())
    if which in ids:
        return which
    by_id = {str(key): name for name, key in ids.items()}
    return next(reversed(ids), None) if which == "last" else by_id.get(which)


def game(database: Database, which: str | int, tournament: str | int | None = None) -> tuple[int, GameRecord]:
    """Return the id of the tournament of a game, and the game.

    The arguments are those of :func:`arena.store.lookup.game_key`. Raises StoreError if the game does not exist.
    """
    black, white = players.alias(), players.alias()
    query: Query = (
        select(games, black.c.spec.label("black"), white.c.spec.label("white"))
        .join(black, black.c.id == games.c.black_id)
        .join(white, white.c.id == games.c.white_id)
    )
    with database.engine.connect() as connection:
        tournament_id, key = lookup.game_key(connection, which, tournament, database.location)
        row = connection.execute(query.where(games.c.tournament_id == tournament_id, games.c.id == key)).one()
    return tournament_id, _record(row)


def first_of_pairings(database: Database, which: str | int) -> list[tuple[int, str, str]]:
    """Return id, Black's spec and White's spec of the first game on record of each pairing of a tournament."""
    black, white = players.alias(), players.alias()
    with database.engine.connect() as connection:
        key = lookup.tournament_id(connection, which, database.location)
        of_it = games.c.tournament_id == key
        first = (
            select(games.c.pairing, func.min(games.c.round).label("round"))
            .where(of_it)
            .group_by(games.c.pairing)
            .subquery()
        )
        query = (
            select(games.c.id, black.c.spec, white.c.spec)
            .join(first, (first.c.pairing == games.c.pairing) & (first.c.round == games.c.round))
            .join(black, black.c.id == games.c.black_id)
            .join(white, white.c.id == games.c.white_id)
            .where(of_it)
            .order_by(games.c.pairing)
        )
        return [(game, one, other) for game, one, other in connection.execute(query)]


def _record(row: Any) -> GameRecord:
    return GameRecord(
        **{name: getattr(row, name) for name in SHARED},
        seed=row.id,
        black=row.black,
        white=row.white,
        movetext=row.moves,
        ply_info=PlyInfo(*(getattr(row, name) for name in PlyInfo._fields)),
    )


def scored(
    database: Database, spec: str, weights: str | None, limit: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """Return the scores that a player reported in its last games, the results of these games, and their number.

    Scores (float64, one per ply with a finite score) are in the player's own units. Results are 1 won, 0 drawn and -1
    lost. Both are from the point of view of the player. Forfeited games do not count.

    ``spec``: canonical spec of the player. ``weights``: hash of its weights, or None. ``limit``: most
    games to read.
    """
    own = (players.c.spec == spec) & players.c.weights.is_not_distinct_from(weights)
    query = (
        select(*_SCORED, players.c.id)
        .join(players, (players.c.id == games.c.black_id) | (players.c.id == games.c.white_id))
        .where(own, games.c.scores.is_not(None), games.c.forfeited_by.is_(None))
        .order_by(games.c.started.desc(), games.c.id)
        .limit(limit)
    )
    with decoding(database.location), database.engine.connect() as connection:
        return _scores_and_results(connection.execute(query).all())


def scored_in(
    database: Database, tournament: int, spec: str, limit: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """Return the same as :func:`scored`, for a player's first games against each opponent of a tournament.

    About ``limit`` games are read. They are found by the index ``games_results``, however long the tournament is.
    """
    with decoding(database.location), database.engine.connect() as connection:
        ids = lookup.player_ids(connection, tournament)
        rounds = -(-limit // max(len(ids) - 1, 1))
        own = (games.c.black_id == ids[spec]) | (games.c.white_id == ids[spec])
        query = select(*_SCORED, literal(ids[spec]).label("id")).where(
            games.c.tournament_id == tournament, own, games.c.round < rounds, games.c.forfeited_by.is_(None)
        )
        return _scores_and_results([row for row in connection.execute(query) if row.scores is not None])


_SCORED = tuple(games.c[name] for name in ("black_id", "white_id", "first", "result", "scores"))


def _scores_and_results(rows: Sequence[Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
    """Return scores, results and number of games of rows with :data:`_SCORED` and the ``id`` of the player."""
    import numpy as np

    scores, results, number = [], [], 0
    for row in rows:
        plays_black = row.black_id == row.id
        own_plies = slice(0 if plays_black == (row.first == "black") else 1, None, 2)
        values = np.frombuffer(row.scores, "<f4")[own_plies]
        values = values[np.isfinite(values)].astype(float)
        if values.size:
            black = 2 * BLACK_POINTS[row.result] - 1
            scores.append(values)
            results.append(np.full(values.size, black if plays_black else -black))
            number += 1
    if not scores:
        return np.empty(0), np.empty(0), 0
    return np.concatenate(scores), np.concatenate(results), number
