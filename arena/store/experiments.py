"""Recorded experiments: reading and writing them."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, insert, select, update

from arena.errors import StoreError
from arena.store import lookup
from arena.store.decoding import check_settings, decoded
from arena.store.part import Part
from arena.store.schema import (
    checkpoints,
    experiment_candidates,
    experiment_checkpoints,
    experiment_runs,
    experiments,
    models,
    players,
    runs,
    tournament_players,
    tournaments,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from arena.store.tournaments import PlayerIdentity


@dataclass(frozen=True, slots=True)
class StoredExperiment:
    """An experiment on record."""

    id: int
    name: str
    settings: dict[str, Any]
    """Plain JSON values, as in its file."""
    tournament_id: int
    """The tournament of its games."""
    version: str
    """Version of checkers-arena that created it."""
    started: float
    """Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class StoredExperimentRun:
    """A training run of an experiment."""

    label: str
    """Label of the learner, or of a candidate of its sweep."""
    seed: int
    run_id: int
    name: str
    """Name of the training run."""
    failure: str | None
    """The error that stopped the run; None if it has not failed."""
    checkpoints: tuple[int, ...]
    """Planned checkpoints: numbers of training games after which the run is measured."""


@decoded
class Experiments(Part):
    """The experiments of a database that is opened to write."""

    def check_name(self, name: str) -> None:
        """Raise StoreError if there is an experiment or a tournament of that name."""
        with self._connection.begin():
            for table, remedy in (
                (experiments, f"arena experiment resume {shlex.quote(name)} goes on with it, or choose another name"),
                (tournaments, "choose another name"),
            ):
                if self._connection.scalar(select(table.c.id).where(table.c.name == name)) is not None:
                    raise StoreError(f"{self.location} already has {_article(table.name)} {name!r}: {remedy}")

    def insert(
        self,
        name: str,
        settings: Mapping[str, Any],
        tournament_id: int,
        candidates: Sequence[tuple[str, str, str]] = (),
    ) -> StoredExperiment:
        """Record a new experiment, whose games are those of a tournament, in the open transaction.

        ``candidates``: for each candidate of a sweep the label of the learner, its own label, and its spec.
        """
        values: dict[str, Any] = {
            "name": name,
            "settings": dict(settings),
            "tournament_id": tournament_id,
            "version": version("checkers-arena"),
            "started": time.time(),
        }
        key = self._connection.scalars(insert(experiments).values(values).returning(experiments.c.id)).one()
        for position, (learner, label, spec) in enumerate(candidates):
            row = {"experiment_id": key, "label": label, "learner": learner, "spec": spec, "position": position}
            self._connection.execute(insert(experiment_candidates), row)
        return StoredExperiment(id=key, **values)

    def choose(self, experiment_id: int, labels: Sequence[str]) -> None:
        """Record the candidates that are chosen, one for each sweep of an experiment."""
        here = experiment_candidates.c.experiment_id == experiment_id
        chosen = experiment_candidates.c.label.in_(labels)
        with self._connection.begin():
            self._connection.execute(update(experiment_candidates).where(here).values(chosen=chosen))

    def chosen(self, experiment_id: int) -> list[str]:
        """The labels of the chosen candidates; empty if they are not chosen yet."""
        of = experiment_candidates.c
        query = select(of.label).where(of.experiment_id == experiment_id, of.chosen)
        with self._connection.begin():
            return list(self._connection.scalars(query.order_by(of.position)))

    def get(self, which: str | int) -> StoredExperiment:
        """The experiment of that name or id, or the ``last``. Raises StoreError if there is none."""
        with self._connection.begin():
            return stored_experiment(self._connection, which, self.location)

    def of_tournament(self, tournament_id: int) -> str | None:
        """Return the name of the experiment that a tournament belongs to; None if it belongs to none."""
        query = select(experiments.c.name).where(experiments.c.tournament_id == tournament_id)
        with self._connection.begin():
            name: str | None = self._connection.scalar(query)
        return name

    def runs(self, experiment_id: int) -> list[StoredExperimentRun]:
        """The training runs of an experiment, in the order in which they were added."""
        with self._connection.begin():
            return experiment_runs_of(self._connection, experiment_id)

    def fail(self, run_id: int, failure: str | None) -> None:
        """Record the error that stopped a run, or with None that it goes on."""
        here = experiment_runs.c.run_id == run_id
        with self._connection.begin():
            self._connection.execute(update(experiment_runs).where(here).values(failure=failure))

    def measured(self, experiment_id: int) -> dict[tuple[int, int], str]:
        """The spec of the player of each checkpoint, by run and games."""
        query = (
            select(experiment_checkpoints.c.run_id, experiment_checkpoints.c.games, players.c.spec)
            .join(experiment_runs, experiment_runs.c.run_id == experiment_checkpoints.c.run_id)
            .join(players, players.c.id == experiment_checkpoints.c.player_id)
            .where(experiment_runs.c.experiment_id == experiment_id)
        )
        with self._connection.begin():
            return {(run, games): spec for run, games, spec in self._connection.execute(query)}

    def missing(self, experiment_id: int) -> list[tuple[int, int, str, str | None]]:
        """The checkpoints that have no player in the experiment's tournament yet: run, games, hash, and the spec of the
        player that their learner plays with (None: unknown)."""
        known = experiment_checkpoints.c
        query = (
            select(*(checkpoints.c[name] for name in ("run_id", "games", "model_hash", "player")))
            .join(experiment_runs, experiment_runs.c.run_id == checkpoints.c.run_id)
            .outerjoin(
                experiment_checkpoints, (known.run_id == checkpoints.c.run_id) & (known.games == checkpoints.c.games)
            )
            .where(experiment_runs.c.experiment_id == experiment_id, known.run_id.is_(None))
            .order_by(checkpoints.c.run_id, checkpoints.c.games)
        )
        with self._connection.begin():
            return [(run, games, model, player) for run, games, model, player in self._connection.execute(query)]

    def shared_models(self, experiment_id: int) -> dict[str, tuple[dict[str, str], list[tuple[int, int]]]]:
        """For the hash of each model that several checkpoints of an experiment have: its provenance, and run and games
        of these checkpoints, in the order of the runs."""
        query = (
            select(models.c.hash, models.c.provenance, checkpoints.c.run_id, checkpoints.c.games)
            .join(checkpoints, checkpoints.c.model_hash == models.c.hash)
            .join(experiment_runs, experiment_runs.c.run_id == checkpoints.c.run_id)
            .where(experiment_runs.c.experiment_id == experiment_id)
            .order_by(checkpoints.c.run_id, checkpoints.c.games)
        )
        found: dict[str, tuple[dict[str, str], list[tuple[int, int]]]] = {}
        with self._connection.begin():
            for key, provenance, run, games in self._connection.execute(query):
                found.setdefault(key, (provenance, []))[1].append((run, games))
        return {key: shared for key, shared in found.items() if len(shared[1]) > 1}

    def attribute(self, model: str, provenance: Mapping[str, str]) -> None:
        """Replace the provenance of the model with that hash."""
        with self._connection.begin():
            self._connection.execute(update(models).where(models.c.hash == model).values(provenance=dict(provenance)))

    def add_players(
        self,
        experiment: StoredExperiment,
        new: Sequence[tuple[int, int, PlayerIdentity, Mapping[str, str]]],
        player_id: Callable[[PlayerIdentity], int],
    ) -> dict[str, int]:
        """Record the players of checkpoints, given by run, games, identity and state, in the experiment's tournament.

        Returns the ids of these players by their specs.
        """
        key = experiment.tournament_id
        connection = self._connection
        with connection.begin():
            known = lookup.player_ids(connection, key)
            settings = connection.execute(select(tournaments.c.settings).where(tournaments.c.id == key)).scalar_one()
            found = {}
            for run, games, player, state in new:
                found[player.spec] = number = known[player.spec] if player.spec in known else player_id(player)
                if player.spec not in known:
                    position = len(known)
                    known[player.spec] = number
                    row = {"tournament_id": key, "player_id": number, "position": position}
                    connection.execute(insert(tournament_players), row)
                    settings["players"].append(dict(state))
                row = {"run_id": run, "games": games, "player_id": number}
                connection.execute(insert(experiment_checkpoints), row)
            connection.execute(update(tournaments).where(tournaments.c.id == key).values(settings=settings))
        return found


def _article(table: str) -> str:
    return {"experiments": "an experiment", "tournaments": "a tournament"}[table]


def stored_experiment(connection: Connection, which: str | int, location: str) -> StoredExperiment:
    """The experiment of that name or id, or the ``last``. Raises StoreError if there is none."""
    key = lookup.experiment_id(connection, which, location)
    row = connection.execute(select(experiments).where(experiments.c.id == key)).one()
    check_settings(row.settings)
    return StoredExperiment(**row._asdict())


def experiment_runs_of(connection: Connection, experiment_id: int) -> list[StoredExperimentRun]:
    """The training runs of an experiment, in the order in which they were added."""
    query = (
        select(
            experiment_runs.c.label,
            experiment_runs.c.seed,
            experiment_runs.c.run_id,
            runs.c.name,
            experiment_runs.c.failure,
            runs.c.settings,
        )
        .join(runs, runs.c.id == experiment_runs.c.run_id)
        .where(experiment_runs.c.experiment_id == experiment_id)
        .order_by(experiment_runs.c.run_id)
    )
    return [StoredExperimentRun(*row[:-1], tuple(row.settings["checkpoints"])) for row in connection.execute(query)]


def candidates_of(connection: Connection, experiment_id: int) -> list[tuple[str, str, str, bool | None]]:
    """The candidates of all sweeps of an experiment: label, label of the learner, spec, and whether it is chosen."""
    of = experiment_candidates.c
    query = select(of.label, of.learner, of.spec, of.chosen).where(of.experiment_id == experiment_id)
    return [tuple(row) for row in connection.execute(query.order_by(of.position))]
