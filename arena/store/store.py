"""The store as the arena writes it: tournaments, their players, games and ratings."""

from __future__ import annotations

import time
from dataclasses import asdict
from importlib.metadata import version
from itertools import count
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import delete, insert, select

from arena.errors import StoreError
from arena.rating import RatedGame
from arena.record import points_of
from arena.store import lookup
from arena.store.database import Database, require
from arena.store.recorder import Recorder
from arena.store.schema import collections, games, players, ratings, tournament_players, tournaments
from arena.store.tournaments import PlayerIdentity, StoredTournament, outcomes, shares, stored_tournament

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

    from arena.model import Model
    from arena.rating import PlayerRating
    from arena.store.collector import Collector
    from arena.store.learned import Learned
    from arena.store.runs import Runs


class Store:
    """A database opened to write: one process, one thread, one connection.

    Every method raises StoreError, in one line, where the database cannot be used.
    """

    def __init__(self, database: Database) -> None:
        self.location = database.location
        """Path or URL, for messages; without a password."""
        self._database = database
        self._connection: Connection = database.engine.connect()

    @classmethod
    def open(cls, path_or_url: str | os.PathLike[str]) -> Self:
        """Open a path or SQLAlchemy URL; made where missing, backed up and upgraded where old."""
        return cls(Database(path_or_url, write=True))

    @classmethod
    def existing(cls, path_or_url: str | os.PathLike[str]) -> Self:
        """As :meth:`open`, for a database that must be there already."""
        require(path_or_url)
        return cls.open(path_or_url)

    def close(self) -> None:
        """Close the database. An SQLite file is left as one plain file, unless others have it open."""
        self._connection.close()
        self._database.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def runs(self) -> Runs:
        """The training runs."""
        from arena.store.runs import Runs

        return Runs(self._connection, self.location)

    def create_tournament(
        self, name: str, seed: int, settings: Mapping[str, Any], players: Sequence[PlayerIdentity]
    ) -> StoredTournament:
        """Record a new tournament; StoreError where the name is taken or could be mistaken for an id."""
        if not name or name == "last" or name.isdecimal():
            raise StoreError(f"a tournament cannot be named {name!r}: numbers and 'last' choose among tournaments")
        if len({player.spec for player in players}) < len(players):
            raise StoreError("a tournament seats each player once")
        row: dict[str, Any] = {
            "name": name,
            "seed": seed,
            "settings": dict(settings),
            "version": version("checkers-arena"),
            "started": time.time(),
        }
        with self._connection.begin():
            if self._connection.scalar(select(tournaments.c.id).where(tournaments.c.name == name)):
                raise StoreError(f"{self.location} already has a tournament {name!r}: resume it or choose another name")
            key = self._connection.scalars(insert(tournaments).values(row).returning(tournaments.c.id)).one()
            for seat, player in enumerate(players):
                chair = {"tournament_id": key, "player_id": self._player_id(player), "seat": seat}
                self._connection.execute(insert(tournament_players), chair)
        return StoredTournament(id=key, players=tuple(players), **row)

    def fresh_name(self) -> str:
        """A name that no tournament has: ``t`` and a number."""
        with self._connection.begin():
            taken = set(self._connection.scalars(select(tournaments.c.name)))
        return next(name for number in count(len(taken) + 1) if (name := f"t{number}") not in taken)

    def tournament(self, which: str | int) -> StoredTournament:
        """The tournament of that name or id, or ``last``; StoreError where there is none."""
        with self._connection.begin():
            return stored_tournament(self._connection, which, self.location)

    def finished(self, tournament_id: int) -> set[tuple[str, int]]:
        """Pairing and round of every game on record."""
        query = select(games.c.pairing, games.c.round).where(games.c.tournament_id == tournament_id)
        with self._connection.begin():
            return {(pairing, number) for pairing, number in self._connection.execute(query)}

    def shares(self, tournament_id: int) -> dict[tuple[str, str], tuple[float, float]]:
        """The share of the points of their meeting that two players made, by their specs in the order of the alphabet;
        a forfeit is a game lost."""
        with self._connection.begin():
            return shares(self._connection, tournament_id)

    def points(self, tournament_id: int, player: str) -> dict[int, float | None]:
        """What a player of a tournament of two made of each game by its round; None where somebody forfeited."""
        return {
            number: None if guilty else points_of(player, black, result)
            for black, _, result, guilty, number in self._results(tournament_id)
        }

    def _results(self, tournament_id: int) -> list[tuple[str, str, str, str | None, int]]:
        """Specs of Black and White, result, who forfeited, and round of every game."""
        with self._connection.begin():
            return outcomes(self._connection, tournament_id)

    def rated_games(self, tournament_id: int) -> list[RatedGame]:
        """The games that count for ratings, in schedule order: by pairing, then round; no forfeits."""
        return [
            RatedGame(black, white, points_of(black, black, result))
            for black, white, result, guilty, _ in self._results(tournament_id)
            if guilty is None
        ]

    def save_ratings(self, tournament_id: int, system: str, table: Sequence[PlayerRating]) -> None:
        """Put ``table`` in the place of what ``system`` made of the tournament before."""
        with self._connection.begin():
            ids = lookup.player_ids(self._connection, tournament_id)
            here = (ratings.c.tournament_id == tournament_id) & (ratings.c.system == system)
            self._connection.execute(delete(ratings).where(here))
            rows = [
                {
                    "tournament_id": tournament_id,
                    "player_id": ids[row.player],
                    "system": system,
                    "rating": row.rating,
                    "error": row.error,
                    "games": row.games,
                }
                for row in table
            ]
            if rows:
                self._connection.execute(insert(ratings), rows)

    def recorder(self, tournament_id: int) -> Recorder:
        """What records the games of the tournament; a context manager."""
        with self._connection.begin():
            ids = lookup.player_ids(self._connection, tournament_id)
        return Recorder(self._connection, tournament_id, ids)

    def learned(self, tournament_id: int) -> Learned:
        """What its players learn in the course of the tournament."""
        from arena.store.learned import Learned

        return Learned(self._connection, tournament_id)

    def add_model(self, model: Model, provenance: Mapping[str, str]) -> bool:
        """Put a model on record with what made it; whether it was not there before."""
        from arena.store import models

        with self._connection.begin():
            return models.add(self._connection, model, provenance)

    def collector(self, collection: str) -> Collector:
        """What records games in the collection of that name, which is made where missing; a context manager."""
        from arena.store.collector import Collector

        if not collection or collection == "all":
            raise StoreError(f"a collection cannot be named {collection!r}")
        here = collections.c.name == collection
        with self._connection.begin():
            key = self._connection.scalar(select(collections.c.id).where(here))
            if key is None:
                row = {"name": collection, "created": time.time()}
                key = self._connection.scalars(insert(collections).values(row).returning(collections.c.id)).one()
        return Collector(self._connection, key)

    def _player_id(self, player: PlayerIdentity) -> int:
        """The id of a player, who is put on record when first met."""
        row = asdict(player)
        same = [players.c[name].is_not_distinct_from(value) for name, value in row.items()]
        known: int | None = self._connection.scalar(select(players.c.id).where(*same))
        if known is not None:
            return known
        key: int = self._connection.scalars(insert(players).values(row).returning(players.c.id)).one()
        return key
