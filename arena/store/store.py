"""The store as the arena writes it: tournaments, their players, games and ratings."""

from __future__ import annotations

import shlex
import time
from contextlib import ExitStack
from dataclasses import asdict
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import delete, func, insert, select, update

from arena.contracts.rating import RatedGame
from arena.contracts.record import points_of
from arena.errors import StoreError, shown
from arena.store import lookup, names
from arena.store.database import Database, locate, require
from arena.store.decoding import decoded
from arena.store.recorder import Recorder
from arena.store.schema import (
    collections,
    games,
    pairings,
    player_changes,
    players,
    ratings,
    tournament_players,
    tournaments,
)
from arena.store.tournaments import PlayerIdentity, StoredTournament, outcomes, points, shares, stored_tournament

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from arena.contracts.model import Model
    from arena.contracts.rating import PlayerRating
    from arena.store.collector import Collector
    from arena.store.experiments import Experiments, StoredExperiment
    from arena.store.learning_log import LearningLog
    from arena.store.names import Naming
    from arena.store.runs import Runs


@decoded
class Store:
    """A database opened to write: one process, one thread, one connection.

    Every method raises StoreError, in one line, where the database cannot be used.
    """

    def __init__(self, path_or_url: str | os.PathLike[str], say: Callable[[str], object] = lambda _: None) -> None:
        """As :meth:`open`."""
        self.location, there = locate(path_or_url)
        """Path or URL, for messages; without a password."""
        self.database = str(path_or_url)
        """Path or URL as it was given."""
        self._say = say
        self._open = ExitStack()
        if there:
            self._connect()

    @classmethod
    def open(cls, path_or_url: str | os.PathLike[str], say: Callable[[str], object] = lambda _: None) -> Self:
        """Open a path or SQLAlchemy URL; backed up and upgraded if old.

        A missing database is made when it is first used, so that what fails before leaves nothing behind. ``say`` gets
        a line if another program must be waited for.
        """
        return cls(path_or_url, say)

    @classmethod
    def existing(cls, path_or_url: str | os.PathLike[str], say: Callable[[str], object] = lambda _: None) -> Self:
        """As :meth:`open`, for a database that must be there already."""
        require(path_or_url)
        return cls.open(path_or_url, say)

    def close(self) -> None:
        """Close the database. An SQLite file is left as one file; if others have it open, when the last of them
        closes it."""
        self._open.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _connection(self) -> Connection:
        database = Database(self.database, write=True, say=self._say)
        self._open.callback(database.engine.dispose)
        return self._open.enter_context(database.engine.connect())

    def _connect(self) -> Connection:
        return self._connection

    @property
    def runs(self) -> Runs:
        """The training runs."""
        from arena.store.runs import Runs

        return Runs(self._connect, self.location)

    @property
    def experiments(self) -> Experiments:
        """The experiments."""
        from arena.store.experiments import Experiments

        return Experiments(self._connect, self.location)

    def add_experiment_players(
        self, experiment: StoredExperiment, new: Sequence[tuple[int, int, PlayerIdentity, Mapping[str, str]]]
    ) -> dict[str, int]:
        """See :meth:`arena.store.experiments.Experiments.add_players`."""
        return self.experiments.add_players(experiment, new, self._player_id)

    def create_tournament(
        self,
        name: str | Naming,
        seed: int,
        settings: Mapping[str, Any],
        players: Sequence[PlayerIdentity],
        planned: int | None = None,
    ) -> StoredTournament:
        """Record a new tournament of that name, or one made of those that are taken.

        ``planned``: the number of its games, at most. StoreError if the name is taken or could be mistaken for an id.
        """
        naming = names.fixed(name) if isinstance(name, str) else name
        _check_name(naming(()))
        if len({player.spec for player in players}) < len(players):
            raise StoreError("a tournament seats each player once")
        row: dict[str, Any] = {
            "seed": seed,
            "settings": dict(settings),
            "version": version("checkers-arena"),
            "started": time.time(),
            "planned": planned,
        }
        with self._connection.begin():
            taken = set(self._connection.scalars(select(tournaments.c.name)))
            row["name"] = name = naming(taken)
            if name in taken:
                raise StoreError(
                    f"{self.location} already has a tournament {name!r}: arena tournament --resume {shlex.quote(name)}"
                    " goes on with it, --new begins another"
                )
            key = self._connection.scalars(insert(tournaments).values(row).returning(tournaments.c.id)).one()
            for seat, player in enumerate(players):
                chair = {"tournament_id": key, "player_id": self._player_id(player), "position": seat}
                self._connection.execute(insert(tournament_players), chair)
        return StoredTournament(id=key, players=tuple(players), **row)

    def tournament(self, which: str | int) -> StoredTournament:
        """The tournament of that name or id, or ``last``; StoreError where there is none."""
        with self._connection.begin():
            return stored_tournament(self._connection, which, self.location)

    def plan(self, tournament_id: int, planned: int) -> None:
        """Set how many games the tournament is to have, or has come to."""
        here = tournaments.c.id == tournament_id
        with self._connection.begin():
            self._connection.execute(update(tournaments).where(here).values(planned=planned))

    def schedule(self, tournament_id: int, stage: Iterable[str], games: int) -> None:
        """Number the games of a stage: those of its pairings, in alphabetical order, follow all earlier ones.

        ``games``: for each pairing. Pairings that have numbers keep them.
        """
        with self._connection.begin():
            here = select(pairings.c.pairing).where(pairings.c.tournament_id == tournament_id)
            known = set(self._connection.scalars(here))
            new = enumerate(sorted(set(stage) - known), len(known))
            rows = [
                {"tournament_id": tournament_id, "pairing": pairing, "first": 1 + place * games}
                for place, pairing in new
            ]
            if rows:
                self._connection.execute(insert(pairings), rows)

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
        with self._connection.begin():
            return points(self._connection, tournament_id, player)

    def _results(self, tournament_id: int) -> list[tuple[str, str, str, str | None, int]]:
        """Specs of Black and White, result, who forfeited, and round of every game."""
        with self._connection.begin():
            return outcomes(self._connection, tournament_id)

    def rated_games(self, tournament_id: int) -> list[RatedGame]:
        """The games that count for ratings, in schedule order: by pairing, then round; no forfeits."""
        return [
            RatedGame(black, white, points_of(black, black, result))
            for black, white, result, forfeited_by, _ in self._results(tournament_id)
            if forfeited_by is None
        ]

    def save_ratings(self, tournament_id: int, system: str, table: Sequence[PlayerRating], place: int) -> None:
        """Replace the ratings of ``system`` in the tournament; standings show the system whose ``place`` is 0.

        A player without rated games gets no rating on record.
        """
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
                    "place": place,
                }
                for row in table
                if row.games
            ]
            if rows:
                self._connection.execute(insert(ratings), rows)

    def recorder(self, tournament_id: int) -> Recorder:
        """What records the games of the tournament; a context manager."""
        with self._connection.begin():
            ids = lookup.player_ids(self._connection, tournament_id)
            changes = _last_change(self._connection, tournament_id)
        return Recorder(self._connection, tournament_id, ids, changes)

    def accept_changes(self, tournament_id: int, changed: Sequence[tuple[PlayerIdentity, Mapping[str, str]]]) -> None:
        """Record what players of a tournament are from now on: identities, and all that
        :func:`arena.plugins.specs.identity` says of them."""
        with self._connection.begin():
            ids = lookup.player_ids(self._connection, tournament_id)
            number = (_last_change(self._connection, tournament_id) or 0) + 1
            rows = [
                {
                    "tournament_id": tournament_id,
                    "player_id": ids[player.spec],
                    "number": number,
                    "version": f"{player.distribution} {player.version}",
                    "code": player.code,
                    "state": dict(state),
                    "accepted": time.time(),
                }
                for player, state in changed
            ]
            self._connection.execute(insert(player_changes), rows)

    def learning_log(self, tournament_id: int) -> LearningLog:
        """What its players learn in the course of the tournament."""
        from arena.store.learning_log import LearningLog

        return LearningLog(self._connection, tournament_id)

    def add_model(self, model: Model, provenance: Mapping[str, str]) -> bool:
        """Put a model on record with what made it; whether it was not there before."""
        from arena.store import models

        with self._connection.begin():
            return models.add(self._connection, model, provenance)

    def collector(self, collection: str) -> Collector:
        """What records games in the collection of that name, which is made where missing; a context manager."""
        from arena.store.collector import Collector

        if not collection or collection == "all" or not _is_text(collection):
            raise StoreError(f"a collection cannot be named {shown(collection)}")
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


def _last_change(connection: Connection, tournament_id: int) -> int | None:
    """The number of the last change of a tournament's players; None if there is none."""
    here = player_changes.c.tournament_id == tournament_id
    last: int | None = connection.scalar(select(func.max(player_changes.c.number)).where(here))
    return last


def _check_name(name: str) -> None:
    if not name or name in ("last", "all") or name.isdecimal() or not _is_text(name):
        raise StoreError(
            f"a tournament cannot be named {shown(name)}: numbers, 'last' and 'all' choose among tournaments"
        )


def _is_text(name: str) -> bool:
    """Whether a database can hold it: not what a command line had in another encoding."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in name
