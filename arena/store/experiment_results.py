"""DataFrames of experiments: checkpoints, learning curves, and comparisons over training seeds."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from sqlalchemy import func, select

from arena.contracts.record import BLACK_POINTS
from arena.errors import UsageError
from arena.statistics import aggregate
from arena.statistics.holm import holm
from arena.store.experiments import experiment_runs_of, stored_experiment
from arena.store.frames import dated
from arena.store.schema import (
    checkpoints,
    experiment_checkpoints,
    experiment_runs,
    experiments,
    games,
    players,
    tournament_players,
    tournaments,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from arena.store.database import Database
    from arena.store.experiments import StoredExperiment

    Which = str | int

Measure = Literal["score_pct", "win_pct"]
MEASURES = ("score_pct", "win_pct")
EXPERIMENTS = (
    *("id", "experiment", "learners", "seeds", "runs", "failed", "checkpoints"),
    *("games", "planned", "tournament", "started"),
)
CURVE = (
    *("experiment", "label", "seed", "games", "opponent", "played", "wins", "draws", "losses"),
    *("win_pct", "score_pct", "seconds", "cpu_seconds", "player", "failed"),
)
LADDER = ("experiment", "player", "label", "seed", "games", "rating", "error", "played")
AGGREGATE = ("experiment", "label", "games", "seeds", "iqm", "low", "high", "mean", "median", "worst")
COMPARISON = (
    *("experiment", "first", "second", "seeds", "difference", "improvement_pct"),
    *("improvement_low", "improvement_high", "p_value"),
)
SUMMARY = ("experiment", "label", "seeds", "failed", "final", "area", "threshold", "reached_games", "reached_seeds")
_LAST: Which = "last"


class ExperimentResults:
    """The part of :class:`arena.Results` that reads experiments.

    Each method takes the name or id of an ``experiment``, or ``"last"``. Raises StoreError if there is none.
    """

    _database: Database
    location: str

    def experiments(self) -> pd.DataFrame:
        """One row per experiment.

        The columns ``learners`` to ``games`` count learners, training seeds, training runs, failed runs, checkpoints
        on record and games on record. ``planned`` is the planned number of games, ``tournament`` the name of the
        experiment's tournament, and ``started`` its start (UTC).
        """
        of_run = experiment_runs.c.experiment_id == experiments.c.id
        measured = experiment_checkpoints.join(
            experiment_runs, experiment_runs.c.run_id == experiment_checkpoints.c.run_id
        )
        counts = [
            select(func.count(experiment_runs.c.label.distinct())).where(of_run),
            select(func.count(experiment_runs.c.seed.distinct())).where(of_run),
            select(func.count()).where(of_run),
            select(func.count(experiment_runs.c.failure)).where(of_run),
            select(func.count()).select_from(measured).where(of_run),
            select(func.count()).where(games.c.tournament_id == experiments.c.tournament_id),
        ]
        query = (
            select(
                experiments.c.id,
                experiments.c.name,
                *(count.correlate(experiments).scalar_subquery() for count in counts),
                tournaments.c.planned,
                tournaments.c.name,
                experiments.c.started,
            )
            .join(tournaments, tournaments.c.id == experiments.c.tournament_id)
            .order_by(experiments.c.id)
        )
        with self._database.engine.connect() as connection:
            rows = [tuple(row) for row in connection.execute(query)]
        return dated(pd.DataFrame(rows, columns=list(EXPERIMENTS)), "started")

    def experiment(self, which: Which = _LAST) -> StoredExperiment:
        """Return the stored experiment, with its settings."""
        with self._database.engine.connect() as connection:
            return stored_experiment(connection, which, self.location)

    def learning_curve(self, experiment: Which = _LAST) -> pd.DataFrame:
        """One row per learner (``label``), training seed, checkpoint (``games`` learned from) and fixed opponent.

        ``played``, ``wins``, ``draws`` and ``losses`` count the games that measure the checkpoint, from its point of
        view, forfeits included; percentages lie in 0-100. ``seconds`` and ``cpu_seconds`` are what learning took so
        far. ``player`` is the spec of the checkpoint's player in the tournament of the experiment.

        A run that failed has rows for the checkpoints that it did not reach, with ``failed`` true, no games, and 0 %.
        """
        return self._read(experiment).curve

    def ladder(self, experiment: Which = _LAST) -> pd.DataFrame:
        """One row per checkpoint and one per fixed opponent, the best rating first.

        ``label``, ``seed`` and ``games`` identify the checkpoint. They are null for fixed opponents. Checkpoints with
        equal models are the same player; each has a row with the same rating. ``rating`` is a rating of the first
        rating system, fitted to all games of the experiment. ``error`` is half the width of its 95 % interval.
        ``played`` is the number of games.
        """
        read = self._read(experiment)
        standings = self.standings(read.tournament_id)  # type: ignore[attr-defined]
        wanted = {"rating_error": "error", "games": "played"}
        rated = standings[["player", "rating", "rating_error", "games"]].rename(columns=wanted)
        frame = read.checkpoints[["player", "label", "seed", "games"]].merge(rated, on="player", how="right")
        frame = frame.assign(experiment=read.name).astype({"seed": "Int64", "games": "Int64"})
        return frame.sort_values(["rating", "player"], ascending=[False, True], ignore_index=True)[list(LADDER)]

    def aggregate(
        self, experiment: Which = _LAST, measure: Measure = "score_pct", opponent: str | None = None
    ) -> pd.DataFrame:
        """One row per learner and checkpoint: ``measure`` over the training seeds, against one opponent or all.

        ``iqm`` is the interquartile mean over seeds and opponents, with ``low`` and ``high`` the bounds of its 95 %
        interval (:func:`arena.statistics.aggregate.two_level_interval`; null with fewer than five seeds). ``mean``,
        ``median`` and ``worst`` (the minimum) summarize one score per seed, its mean over the opponents. A failed run
        counts as 0 %.
        """
        read = self._read(experiment)
        rows = []
        for label in read.labels:
            for games_learned, scores in read.scores(label, measure, opponent).items():
                by_seed = 100 * scores.mean(axis=(1, 2))
                low, high = aggregate.two_level_interval(scores)
                rows.append(
                    (
                        *(read.name, label, games_learned, len(by_seed)),
                        100 * float(aggregate.interquartile_mean(scores.mean(axis=2))),
                        *(100 * low, 100 * high),
                        *(float(by_seed.mean()), float(np.median(by_seed)), float(by_seed.min())),
                    )
                )
        return pd.DataFrame(rows, columns=list(AGGREGATE))

    def compare_learners(self, experiment: Which = _LAST, measure: Measure = "score_pct") -> pd.DataFrame:
        """One row per pair of learners: ``measure`` at the last checkpoint, over the training seeds.

        ``difference`` is the mean of ``first`` minus the mean of ``second``, over seeds and opponents, in percentage
        points. ``improvement_pct`` is the probability that a run of ``first`` scores more than a run of ``second``
        (:func:`arena.statistics.aggregate.probability_of_improvement`). ``improvement_low`` and ``improvement_high``
        are the bounds of its 95 % interval. ``p_value`` comes from a permutation test over the seeds, with Holm's
        adjustment for all pairs of the table.
        """
        read = self._read(experiment)
        last = {}
        for label in read.labels:
            if scores := read.scores(label, measure, None):
                last[label] = scores[max(scores)].mean(axis=2)
        rows, p_values = [], []
        for first, second in combinations(last, 2):
            one, other = last[first], last[second]
            low, high = aggregate.improvement_interval(one, other)
            p_values.append(aggregate.difference_p_value(one.mean(axis=1), other.mean(axis=1)))
            rows.append(
                (
                    *(read.name, first, second, min(len(one), len(other))),
                    100 * float(one.mean() - other.mean()),
                    100 * aggregate.probability_of_improvement(one, other),
                    *(100 * low, 100 * high),
                )
            )
        known = [value for value in p_values if not np.isnan(value)]
        adjusted = iter(holm(known))
        frame = pd.DataFrame(rows, columns=list(COMPARISON[:-1]))
        return frame.assign(p_value=[np.nan if np.isnan(value) else next(adjusted) for value in p_values])

    def learners(
        self, experiment: Which = _LAST, measure: Measure = "score_pct", threshold: float = 75.0
    ) -> pd.DataFrame:
        """One row per learner: how well and how fast it learns.

        ``final`` is the mean of ``measure`` over seeds and opponents at the last checkpoint. ``area`` is its mean over
        the course of learning (:func:`arena.statistics.aggregate.area_under_curve`).

        A seed reaches the threshold when its mean over the opponents is first at least ``threshold`` percent.
        ``reached_seeds`` counts the seeds that reach it. ``reached_games`` is the median number of training games that
        the seeds need. It is null unless more than half of the seeds reach the threshold.
        """
        if not 0 <= threshold <= 100:
            raise UsageError(f"a threshold is a percentage from 0 to 100, not {threshold}")
        read = self._read(experiment)
        rows = []
        for label in read.labels:
            tables = read.tables(label, measure)
            curves = pd.DataFrame({number: 100 * table.mean(axis=1) for number, table in tables.items()}).dropna()
            if curves.empty:
                continue
            learned, by_seed = list(tables), curves.to_numpy()
            areas = [aggregate.area_under_curve(learned, list(each)) for each in by_seed]
            reached = np.array([aggregate.first_reached(learned, list(each), threshold) for each in by_seed])
            reached_seeds = int((~np.isnan(reached)).sum())
            median = float(np.median(np.where(np.isnan(reached), np.inf, reached)))
            rows.append(
                (
                    *(read.name, label, len(by_seed), read.failed[label]),
                    *(float(by_seed[:, -1].mean()), float(np.mean(areas)), threshold),
                    *(median if np.isfinite(median) else np.nan, reached_seeds),
                )
            )
        return pd.DataFrame(rows, columns=list(SUMMARY))

    def _read(self, which: Which) -> _Experiment:
        with self._database.engine.connect() as connection:
            return _Experiment(connection, stored_experiment(connection, which, self.location))


class _Experiment:
    """Everything about one experiment that tables are made from."""

    def __init__(self, connection: Connection, stored: StoredExperiment) -> None:
        self.name, self.tournament_id = stored.name, stored.tournament_id
        runs = experiment_runs_of(connection, stored.id)
        self._pairs = stored.settings["measuring"]["games"] // 2
        self.labels = list(dict.fromkeys(run.label for run in runs))
        self.failed = Counter(run.label for run in runs if run.failure is not None)
        self._planned = {run.label: run.checkpoints for run in runs}
        self._failed_runs = {(run.label, run.seed) for run in runs if run.failure is not None}
        entered = (
            select(players.c.id, players.c.spec)
            .join(tournament_players)
            .where(tournament_players.c.tournament_id == stored.tournament_id)
            .order_by(tournament_players.c.position)
        )
        self._specs: dict[int, str] = dict(connection.execute(entered).all())
        self._opponents = dict(list(self._specs.items())[: len(stored.settings["measuring"]["opponents"])])
        query = (
            select(
                experiment_runs.c.label,
                experiment_runs.c.seed,
                experiment_checkpoints.c.games,
                experiment_checkpoints.c.player_id,
                checkpoints.c.seconds,
                checkpoints.c.cpu_seconds,
            )
            .join(experiment_runs, experiment_runs.c.run_id == experiment_checkpoints.c.run_id)
            .join(
                checkpoints,
                (checkpoints.c.run_id == experiment_checkpoints.c.run_id)
                & (checkpoints.c.games == experiment_checkpoints.c.games),
            )
            .where(experiment_runs.c.experiment_id == stored.id)
        )
        columns = ["label", "seed", "games", "player_id", "seconds", "cpu_seconds"]
        found = pd.DataFrame([tuple(row) for row in connection.execute(query)], columns=columns)
        found["player"] = found["player_id"].map(self._specs)
        order = {label: number for number, label in enumerate(self.labels)}
        self.checkpoints = found.sort_values(
            ["label", "seed", "games"], key=lambda each: each.map(order) if each.name == "label" else each
        )
        self._played = self._games(connection)

    def _games(self, connection: Connection) -> pd.DataFrame:
        """One row per game of a checkpoint against a fixed opponent: player_id, opponent_id, pair, points."""
        here = games.c
        query = select(here.black_id, here.white_id, here.round, here.result).where(
            here.tournament_id == self.tournament_id
        )
        rows = [tuple(row) for row in connection.execute(query)]
        frame = pd.DataFrame(rows, columns=["black_id", "white_id", "round", "result"])
        points = frame["result"].map(BLACK_POINTS).astype(float)
        measured = set(self.checkpoints["player_id"])
        sides = [
            pd.DataFrame(
                {
                    "player_id": mine,
                    "opponent_id": other,
                    "pair": frame["round"] // 2,
                    "points": score,
                    "round": frame["round"],
                }
            )
            for mine, other, score in (
                (frame["black_id"], frame["white_id"], points),
                (frame["white_id"], frame["black_id"], 1 - points),
            )
        ]
        both = pd.concat(sides, ignore_index=True)
        return both[both["player_id"].isin(measured) & both["opponent_id"].isin(self._opponents.keys())]

    @property
    def opponents(self) -> list[str]:
        """The specs of the fixed opponents, in the order of the experiment's file."""
        return list(self._opponents.values())

    @property
    def curve(self) -> pd.DataFrame:
        """See :meth:`ExperimentResults.learning_curve`."""
        played = self._played
        counts = (
            played.assign(
                wins=played["points"] == 1, draws=played["points"] == 0.5, losses=played["points"] == 0, played=1
            )
            .groupby(["player_id", "opponent_id"])[["played", "wins", "draws", "losses"]]
            .sum()
            .reset_index()
        )
        frame = self.checkpoints.merge(counts, on="player_id").assign(failed=False)
        frame["opponent"] = frame["opponent_id"].map(self._specs)
        frame["win_pct"] = 100 * frame["wins"] / frame["played"]
        frame["score_pct"] = 100 * (frame["wins"] + frame["draws"] / 2) / frame["played"]
        missing = [
            {
                **{"label": label, "seed": seed, "games": number, "opponent": opponent, "failed": True},
                **dict.fromkeys(("played", "wins", "draws", "losses", "win_pct", "score_pct"), 0),
            }
            for label, seed, number in self._unreached
            for opponent in self.opponents
        ]
        if missing:
            frame = pd.concat([frame, pd.DataFrame(missing)], ignore_index=True)
        counted = dict.fromkeys(("seed", "games", "played", "wins", "draws", "losses"), "int64")
        floats = dict.fromkeys(("win_pct", "score_pct", "seconds", "cpu_seconds"), "float64")
        frame = frame.assign(experiment=self.name).astype({**counted, **floats, "failed": bool})
        order = {label: number for number, label in enumerate(self.labels)}
        names = {opponent: number for number, opponent in enumerate(self.opponents)}
        keys = {"label": order, "opponent": names}
        frame = frame.sort_values(
            ["label", "seed", "games", "opponent"],
            key=lambda each: each.map(keys[str(each.name)]) if each.name in keys else each,
            ignore_index=True,
        )
        return frame[list(CURVE)]

    @property
    def _unreached(self) -> list[tuple[str, int, int]]:
        """Label, seed and games of the checkpoints that failed runs did not reach."""
        there = set(self.checkpoints[["label", "seed", "games"]].itertuples(index=False, name=None))
        return [
            (label, seed, number)
            for label, seed in sorted(self._failed_runs)
            for number in self._numbers(label)
            if (label, seed, number) not in there
        ]

    def _numbers(self, label: str) -> list[int]:
        """The games of the planned checkpoints of a learner."""
        return sorted(self._planned[label])

    def tables(self, label: str, measure: Measure, opponent: str | None = None) -> dict[int, pd.DataFrame]:
        """Return the scores of a learner (0 to 1) by number of training games: a row for each seed, a column for each
        opponent and pair of games.

        Only seeds with all games have a row. A failed run has 0 at the checkpoints that it did not reach.
        """
        if measure not in MEASURES:
            raise UsageError(f"a measure is one of {', '.join(MEASURES)}, not {measure!r}")
        if opponent is not None and opponent not in self.opponents:
            raise UsageError(f"{opponent!r} is not an opponent; there are {', '.join(self.opponents)}")
        opponents = self.opponents if opponent is None else [opponent]
        columns = pd.MultiIndex.from_product([opponents, range(self._pairs)])
        played = self.checkpoints[self.checkpoints["label"] == label].merge(self._played, on="player_id")
        played["opponent"] = played["opponent_id"].map(self._specs)
        played["value"] = played["points"] if measure == "score_pct" else (played["points"] == 1).astype(float)
        pairs = played.groupby(["games", "seed", "opponent", "pair"])["value"].agg(["mean", "count"])
        means = pairs.loc[pairs["count"] == 2, "mean"].unstack(["opponent", "pair"]).reindex(columns=columns).dropna()
        tables = {}
        for number in self._numbers(label):
            table = means[means.index.get_level_values("games") == number].droplevel("games")
            lost = [seed for each, seed, learned in self._unreached if (each, learned) == (label, number)]
            table = pd.concat([table, pd.DataFrame(0.0, index=pd.Index(lost, name="seed"), columns=columns)])
            if len(table):
                tables[number] = table.sort_index()
        return tables

    def scores(self, label: str, measure: Measure, opponent: str | None) -> dict[int, np.ndarray[Any, Any]]:
        """Return :meth:`tables` as arrays of the shape (seeds, opponents, pairs)."""
        return {
            number: table.to_numpy(dtype=np.float64).reshape(len(table), -1, self._pairs)
            for number, table in self.tables(label, measure, opponent).items()
        }
