"""Writing to the database: tournaments, their players, games and ratings."""

from __future__ import annotations

import shlex
import time
from contextlib import ExitStack, closing
from dataclasses import asdict
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import func, insert, select, update

from arena.errors import StoreError, shown
from arena.store import lookup, names
from arena.store.address import check_distinct, locate, require
from arena.store.database import Database
from arena.store.decoding import decoded, decoding
from arena.store.recorder import Recorder
from arena.store.schema import (
    collections,
    games,
    pairings,
    player_changes,
    players,
    tournament_players,
    tournaments,
)
from arena.store.tournaments import (
    PlayerIdentity,
    StoredTournament,
    points,
    rated_games,
    save_ratings,
    shares,
    stored_tournament,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from arena.contracts.model import Model
    from arena.contracts.rating import PlayerRating, RatedGame
    from arena.store.annotations import Annotations
    from arena.store.collector import Collector
    from arena.store.copying import Copied
    from arena.store.experiments import Experiments, StoredExperiment
    from arena.store.ladders import Ladders
    from arena.store.learning_log import LearningLog
    from arena.store.merging import Merged
    from arena.store.names import Naming
    from arena.store.people import People
    from arena.store.runs import Runs

    Rate = Callable[[StoredTournament, Sequence[RatedGame]], Iterable[tuple[str, Sequence[PlayerRating]]]]


@decoded
class Store:
    """A database open for writing, over one connection. Use it in one thread only.

    Every method raises StoreError if the database cannot be used.
    """

    def __init__(self, path_or_url: str | os.PathLike[str], say: Callable[[str], object] = lambda _: None) -> None:
        """See :meth:`open`."""
        self.location, exists = locate(path_or_url)
        """Path or URL without a password, for messages."""
        self.database = str(path_or_url)
        """Path or URL as given by the caller."""
        self._say = say
        self._resources = ExitStack()
        if exists:
            _ = self._connection

    @classmethod
    def open(cls, path_or_url: str | os.PathLike[str], say: Callable[[str], object] = lambda _: None) -> Self:
        """Open the database at a path or SQLAlchemy URL. A database of an older revision is backed up and upgraded.

        A missing database is created on first use, so that a command that fails earlier leaves no empty file.
        ``say`` is called with a one-line message if the store must wait for another program.
        """
        return cls(path_or_url, say)

    @classmethod
    def existing(cls, path_or_url: str | os.PathLike[str], say: Callable[[str], object] = lambda _: None) -> Self:
        """Open a database like :meth:`open`, but raise StoreError if it does not exist."""
        require(path_or_url)
        return cls.open(path_or_url, say)

    def close(self) -> None:
        """Close the database. SQLite removes its extra files (``-wal``, ``-shm``) when the last program closes it."""
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _connection(self) -> Connection:
        database = Database(self.database, write=True, say=self._say)
        self._resources.callback(database.engine.dispose)
        return self._resources.enter_context(database.engine.connect())

    @property
    def runs(self) -> Runs:
        """The training runs."""
        from arena.store.runs import Runs

        return Runs(lambda: self._connection, self.location)

    @property
    def experiments(self) -> Experiments:
        """The experiments."""
        from arena.store.experiments import Experiments

        return Experiments(lambda: self._connection, self.location)

    @property
    def annotations(self) -> Annotations:
        """The annotations of games."""
        from arena.store.annotations import Annotations

        return Annotations(lambda: self._connection, self.location)

    @property
    def people(self) -> People:
        """The games of people."""
        from arena.store.people import People

        return People(lambda: self._connection, self.location)

    @property
    def ladders(self) -> Ladders:
        """The evenings of ladders."""
        from arena.store.ladders import Ladders

        return Ladders(lambda: self._connection, self.location)

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
        """Record a new tournament.

        ``name`` is its name, or a function that chooses a name given the existing ones. ``planned`` is the number of
        games, or an upper bound of it. Raises StoreError if the name is taken or could be mistaken for an id.
        """
        naming = names.fixed(name) if isinstance(name, str) else name
        names.check(naming(()))
        if len({player.spec for player in players}) < len(players):
            raise StoreError("the list of players has a player twice: name each player once")
        with self._connection.begin():
            return self._insert_tournament(naming, seed, settings, players, planned)

    def create_experiment(
        self,
        name: str,
        experiment: Mapping[str, Any],
        seed: int,
        settings: Mapping[str, Any],
        players: Sequence[PlayerIdentity],
        planned: int | None = None,
        candidates: Sequence[tuple[str, str, str]] = (),
    ) -> StoredExperiment:
        """Record a new experiment and the tournament of its games, both or neither.

        ``experiment`` are the settings of the experiment. ``candidates``: for each candidate of a sweep the label of
        the learner, its own label, and its spec. See :meth:`create_tournament` for the rest.
        """
        names.check(name)
        with self._connection.begin():
            tournament = self._insert_tournament(names.fixed(name), seed, settings, players, planned)
            return self.experiments.insert(name, experiment, tournament.id, candidates)

    def _insert_tournament(
        self,
        naming: Naming,
        seed: int,
        settings: Mapping[str, Any],
        players: Sequence[PlayerIdentity],
        planned: int | None,
    ) -> StoredTournament:
        """Record a new tournament in the open transaction."""
        row: dict[str, Any] = {
            "seed": seed,
            "settings": dict(settings),
            "version": version("checkers-arena"),
            "started": time.time(),
            "planned": planned,
        }
        taken = set(self._connection.scalars(select(tournaments.c.name)))
        row["name"] = name = naming(taken)
        if name in taken:
            raise StoreError(
                f"{self.location} already has a tournament {name!r}: arena tournament --resume {shlex.quote(name)}"
                " continues it, --new starts another"
            )
        key = self._connection.scalars(insert(tournaments).values(row).returning(tournaments.c.id)).one()
        for position, player in enumerate(players):
            values = {"tournament_id": key, "player_id": self._player_id(player), "position": position}
            self._connection.execute(insert(tournament_players), values)
        return StoredTournament(id=key, players=tuple(players), **row)

    def tournament(self, which: str | int) -> StoredTournament:
        """Return the tournament with the name or id ``which``, or the ``last``. Raises StoreError if it is missing."""
        with self._connection.begin():
            return stored_tournament(self._connection, which, self.location)

    def plan(self, tournament_id: int, planned: int) -> None:
        """Set the planned number of games of a tournament. After its end, this is the number of games played."""
        with self._connection.begin():
            self._connection.execute(
                update(tournaments).where(tournaments.c.id == tournament_id).values(planned=planned)
            )

    def grow(
        self, tournament_id: int, settings: Mapping[str, Any], players: Sequence[PlayerIdentity], planned: int
    ) -> None:
        """Record that a tournament gets more players or games.

        ``settings`` replace the recorded settings. ``players`` are only the added ones. ``planned`` is the new planned
        number of games.
        """
        number = select(func.count()).where(tournament_players.c.tournament_id == tournament_id)
        with self._connection.begin():
            first: int = self._connection.scalars(number).one()
            for position, player in enumerate(players, first):
                row = {"tournament_id": tournament_id, "player_id": self._player_id(player), "position": position}
                self._connection.execute(insert(tournament_players), row)
            change = update(tournaments).where(tournaments.c.id == tournament_id)
            self._connection.execute(change.values(settings=dict(settings), planned=planned))

    def schedule(self, tournament_id: int, stage: Iterable[str], games: int) -> None:
        """Number the games of a stage that have no number yet, by pairing and then by round.

        The new numbers follow the largest number of the tournament. ``stage`` has the names of the stage's pairings.
        ``games`` is the number of games of each pairing.
        """
        query = select(pairings).where(pairings.c.tournament_id == tournament_id).order_by(pairings.c.round)
        with self._connection.begin():
            blocks = self._connection.execute(query).all()
            numbered = {block.pairing: block.round + block.games for block in blocks}
            following = max((block.first + block.games for block in blocks), default=1)
            rows = []
            for pairing in sorted(set(stage)):
                rounds = numbered.get(pairing, 0)
                if rounds < games:
                    block = {"round": rounds, "games": games - rounds, "first": following}
                    rows.append({"tournament_id": tournament_id, "pairing": pairing, **block})
                    following += games - rounds
            if rows:
                self._connection.execute(insert(pairings), rows)

    def finished(self, tournament_id: int) -> set[tuple[str, int]]:
        """Return the pairing and round of every recorded game of a tournament."""
        query = select(games.c.pairing, games.c.round).where(games.c.tournament_id == tournament_id)
        with self._connection.begin():
            return {(pairing, number) for pairing, number in self._connection.execute(query)}

    def shares(self, tournament_id: int) -> dict[tuple[str, str], tuple[float, float]]:
        """Return each player's share of the points of each pairing. See :func:`arena.store.tournaments.shares`."""
        with self._connection.begin():
            return shares(self._connection, tournament_id)

    def points(self, tournament_id: int, player: str) -> dict[int, float | None]:
        """Return the points of a player in each round. See :func:`arena.store.tournaments.points`."""
        with self._connection.begin():
            return points(self._connection, tournament_id, player)

    def rated_games(self, tournament_id: int) -> list[RatedGame]:
        """Return the games that count for ratings, ordered by pairing and round. Forfeits do not count."""
        with self._connection.begin():
            return rated_games(self._connection, tournament_id)

    def save_ratings(self, tournament_id: int, system: str, table: Sequence[PlayerRating], place: int) -> None:
        """Replace the ratings of a rating system in a tournament.

        ``place`` is the position of the system in the tournament's list of systems; standings show system 0. Players
        without rated games get no row.
        """
        with self._connection.begin():
            save_ratings(self._connection, tournament_id, system, table, place)

    def merge(self, other: str | os.PathLike[str], rate: Rate) -> Merged:
        """Copy everything of another database into this one, without doubling; see :mod:`arena.store.merging`.

        ``rate`` returns the ratings of a tournament, of each of its systems. All changes are made, or none. Raises
        StoreError if both databases have the same thing with different content, or if ``other`` cannot be read.
        """
        from arena.store.merging import merge

        check_distinct(self.database, other)
        source = Database(other, write=False)
        try:
            with decoding(source.location), source.engine.connect() as connection, self._connection.begin():
                merged = merge(connection, self._connection)
                for key in merged.joined:
                    tournament = stored_tournament(self._connection, key, self.location)
                    tables = rate(tournament, rated_games(self._connection, key))
                    for place, (system, table) in enumerate(tables):
                        save_ratings(self._connection, key, system, table, place)
                return merged
        finally:
            source.engine.dispose()

    def copy(self, source: str | os.PathLike[str], progress: Callable[[int, int], object]) -> Copied:
        """Copy all rows of another database into this one, or none; see :func:`arena.store.copying.copy`."""
        from arena.store.copying import copy

        check_distinct(self.database, source)
        database, target = closing(Database(source, write=False)), self._connection
        with database as other, decoding(other.location), other.engine.connect() as connection, target.begin():
            return copy(connection, target, self.location, progress)

    def prune(self) -> None:
        """Delete what :func:`arena.store.pruning.unused` finds, and give the free space of a file back to the disk."""
        from arena.store import pruning

        with self._connection.begin():
            pruning.delete_unused(self._connection)
        pruning.compact(self._connection)

    def recorder(self, tournament_id: int) -> Recorder:
        """Return a context manager that records games of the tournament."""
        connection = self._connection
        with connection.begin():
            ids, changes = lookup.player_ids(connection, tournament_id), lookup.last_change(connection, tournament_id)
        return Recorder(connection, tournament_id, ids, changes)

    def accept_changes(self, tournament_id: int, changed: Sequence[tuple[PlayerIdentity, Mapping[str, str]]]) -> None:
        """Record new identities of players, which hold for all games of the tournament from now on.

        Each of ``changed`` is the stored identity and the mapping that :func:`arena.plugins.specs.identity` returns.
        """
        with self._connection.begin():
            ids = lookup.player_ids(self._connection, tournament_id)
            number = (lookup.last_change(self._connection, tournament_id) or 0) + 1
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
        """Return the learning log of a tournament: the models that its players learned between rounds."""
        from arena.store.learning_log import LearningLog

        return LearningLog(self._connection, tournament_id)

    def add_model(self, model: Model, provenance: Mapping[str, str]) -> bool:
        """Record a model with its provenance. Returns False if the model was on record already."""
        from arena.store import models

        with self._connection.begin():
            return models.add(self._connection, model, provenance)

    def collector(self, collection: str) -> Collector:
        """Return a context manager that records games in a collection. A missing collection is created."""
        from arena.store.collector import Collector

        if not collection or collection == "all" or not names.is_text(collection):
            raise StoreError(f"a collection cannot be named {shown(collection)}")
        with self._connection.begin():
            key = self._connection.scalar(select(collections.c.id).where(collections.c.name == collection))
            if key is None:
                row = {"name": collection, "created": time.time()}
                key = self._connection.scalars(insert(collections).values(row).returning(collections.c.id)).one()
        return Collector(self._connection, key)

    def _player_id(self, player: PlayerIdentity) -> int:
        """Return the id of a player. A new player gets a row."""
        row = asdict(player)
        equal = [players.c[name].is_not_distinct_from(value) for name, value in row.items()]
        known: int | None = self._connection.scalar(select(players.c.id).where(*equal))
        return known or self._connection.scalars(insert(players).values(row).returning(players.c.id)).one()
