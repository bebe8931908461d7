"""Annotations as a DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
from sqlalchemy import Select, column, func, or_, select, table

from arena.checkers.move import Side
from arena.store import frames, lookup
from arena.store.annotations import added, of_game, of_pdn
from arena.store.lookup import GameKey
from arena.store.provenance_results import ProvenanceResults
from arena.store.schema import collected_games, collections, games, move_annotations, tournaments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from arena.store.annotations import Annotation

    Query = Select[*tuple[Any, ...]]

_ROWS = 500
"""Number of games fetched at a time."""


class _Game(NamedTuple):
    """An annotated game."""

    name: str
    source: str
    first: str
    moves: list[str]
    annotations: list[Annotation]


class AnnotationResults(ProvenanceResults):
    """The part of :class:`arena.Results` that reads annotations."""

    def annotations(
        self, tournament: str | int | None = None, collection: str | None = None, game: str | int | None = None
    ) -> pd.DataFrame:
        """One row per annotation, of one tournament, one collection, one game or all, ordered by game and ply.

        ``annotation`` is its number, null for the marks and comments of a PDN file. ``game`` is ``t2/17`` or
        ``COLLECTION/NUMBER``, with the number of an imported game in its PDN file, or its id if the collection has
        several files. ``source`` is the tournament or collection. ``ply`` is the number of the move in the game, from
        1; ``side`` and ``move`` are the player who moved and the PDN text of the move. Ply 0 is the first board, which
        has neither. ``annotator`` is the name of the person, null if a PDN file names none.

        ``mark`` is ``!``, ``?``, ``!!``, ``??``, ``!?`` or ``?!``, ``better`` the PDN text of a better move, ``score``
        the expected result after the move for the player who made it, from -1 (lost) to 1 (won), ``comment`` a text;
        each may be null. ``added`` is the time of recording (UTC), null for PDN files.
        """
        with self._database.engine.connect() as connection:
            key = None
            if game is not None:
                key = lookup.any_game_key(connection, game, self.location)
            elif tournament is not None:
                key = GameKey(lookup.tournament_id(connection, tournament, self.location), None, 0)
            elif collection is not None:
                key = GameKey(None, lookup.collection_id(connection, collection, self.location), 0)
            found = [*_played(connection, key, game is not None), *_imported(connection, key, game is not None)]
        rows = [
            (
                *(each.number, one.name, one.source, each.ply, *_move(one, each.ply), each.annotator),
                *(each.mark, each.better, each.score, each.comment, each.added),
            )
            for one in found
            for each in one.annotations
        ]
        frame = pd.DataFrame(rows, columns=list(frames.ANNOTATIONS))
        return frames.dated(frame.astype({"annotation": "Int64", "ply": "int64", "score": float}), "added")

    def game_annotations(self, game: str | int, tournament: str | int | None = None) -> list[Annotation]:
        """Return the annotations of a game of a tournament, ordered by ply; the arguments are those of :meth:`game`."""
        with self._database.engine.connect() as connection:
            return of_game(connection, GameKey.played(*lookup.game_key(connection, game, tournament, self.location)))


def _played(connection: Connection, key: GameKey | None, single: bool) -> Iterator[_Game]:
    """Yield the annotated games of tournaments."""
    if key is not None and key.tournament_id is None:
        return
    by_game = added(connection, move_annotations.c.tournament_id.is_not(None))
    view = table("v_games", column("tournament_id"), column("game"), column("name"), column("number"))
    query: Query = (
        select(games.c.tournament_id, games.c.id, view.c.name, tournaments.c.name.label("source"))
        .add_columns(games.c.first, games.c.moves)
        .join(tournaments, tournaments.c.id == games.c.tournament_id)
        .join(view, (view.c.tournament_id == games.c.tournament_id) & (view.c.game == games.c.id))
        .where(games.c.id.in_(select(move_annotations.c.game_id).where(move_annotations.c.tournament_id.is_not(None))))
        .order_by(games.c.tournament_id, view.c.number, games.c.id)
    )
    if key is not None:
        query = query.where(games.c.tournament_id == key.tournament_id)
        query = query.where(games.c.id == key.game_id) if single else query
    for row in connection.execute(query):
        found = by_game.get(GameKey(row.tournament_id, None, row.id))
        if found:
            yield _Game(row.name or str(row.id), row.source, row.first, row.moves.split(), found)


def _imported(connection: Connection, key: GameKey | None, single: bool) -> Iterator[_Game]:
    """Yield the annotated games of collections."""
    if key is not None and key.collection_id is None:
        return
    by_game = added(connection, move_annotations.c.collection_id.is_not(None))
    here = collected_games.c
    several = set(
        connection.scalars(
            select(here.collection_id).group_by(here.collection_id).having(func.count(here.file.distinct()) > 1)
        )
    )
    ids = select(move_annotations.c.game_id).where(move_annotations.c.collection_id.is_not(None))
    query: Query = (
        select(*(here[name] for name in ("collection_id", "id", "number", "fen", "moves", "comments", "tags")))
        .add_columns(collections.c.name.label("source"))
        .join(collections)
        .where(or_(here.comments.is_not(None), here.id.in_(ids)))
        .order_by(here.collection_id, here.file, here.number)
    )
    if key is not None:
        query = query.where(here.collection_id == key.collection_id)
        query = query.where(here.id == key.game_id) if single else query
    for row in connection.execution_options(yield_per=_ROWS).execute(query):
        found = of_pdn(row.comments, row.tags)
        found += by_game.get(GameKey(None, row.collection_id, row.id), [])
        if found:
            name = f"{row.source}/{row.id if row.collection_id in several else row.number}"
            first = "white" if row.fen.startswith("W") else "black"
            yield _Game(name, row.source, first, row.moves.split(), sorted(found, key=lambda each: each.ply))


def _move(game: _Game, ply: int) -> tuple[str | None, str | None]:
    """Return the side that made the move of a ply, and its text."""
    if ply == 0:
        return None, None
    first = Side[game.first.upper()]
    return str(first if ply % 2 else first.other), game.moves[ply - 1]
