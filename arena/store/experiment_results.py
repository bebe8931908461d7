"""DataFrames of experiments: checkpoints, learning curves, and comparisons over training seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
from sqlalchemy import func, select

from arena.store import experiment_tables
from arena.store.experiment_tables import THRESHOLD
from arena.store.experiments import candidates_of, experiment_runs_of, stored_experiment
from arena.store.frames import dated
from arena.store.measured import MeasuredExperiment
from arena.store.notebook import NotebookFrame
from arena.store.schema import (
    experiment_candidates,
    experiment_checkpoints,
    experiment_runs,
    experiments,
    games,
    tournaments,
)

if TYPE_CHECKING:
    from arena.store.database import Database
    from arena.store.experiments import StoredExperiment
    from arena.store.measured import Measure

    Which = str | int

EXPERIMENTS = (
    *("id", "experiment", "learners", "seeds", "runs", "failed", "checkpoints"),
    *("games", "planned", "tournament", "started"),
)
TRAINING_RUNS = ("experiment", "label", "seed", "run", "learned", "model", "failure")
SWEEP = ("experiment", "label", "candidate", "spec", "games", "seeds", "failed", "score_pct", "worst", "chosen")
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
        on record and games on record. Candidates of sweeps count in all of them but the first two. ``planned`` is the
        planned number of games, ``tournament`` the name of the experiment's tournament, and ``started`` its start
        (UTC).
        """
        of_run = experiment_runs.c.experiment_id == experiments.c.id
        candidates = select(experiment_candidates.c.label).where(
            experiment_candidates.c.experiment_id == experiments.c.id
        )
        of_learner = of_run & experiment_runs.c.label.not_in(candidates.correlate(experiments))
        measured = experiment_checkpoints.join(
            experiment_runs, experiment_runs.c.run_id == experiment_checkpoints.c.run_id
        )
        counts = [
            select(func.count(experiment_runs.c.label.distinct())).where(of_learner),
            select(func.count(experiment_runs.c.seed.distinct())).where(of_learner),
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
        return NotebookFrame(dated(pd.DataFrame(rows, columns=list(EXPERIMENTS)), "started"))

    def experiment(self, which: Which = _LAST) -> StoredExperiment:
        """Return the stored experiment, with its settings."""
        with self._database.engine.connect() as connection:
            return stored_experiment(connection, which, self.location)

    def training_runs(self, experiment: Which = _LAST) -> pd.DataFrame:
        """One row per training run of an experiment, in the order in which they were added.

        ``run`` is its name, ``learned`` the number of games at its last checkpoint, ``model`` the hash of the model
        there (null: no checkpoint yet), ``failure`` the error that stopped the learner (null: none).
        """
        with self._database.engine.connect() as connection:
            stored = stored_experiment(connection, experiment, self.location)
            found = experiment_runs_of(connection, stored.id)
        frame = pd.DataFrame(
            [(each.label, each.seed, each.name, each.failure) for each in found],
            columns=["label", "seed", "run", "failure"],
        )
        last = self.checkpoints("all").groupby("run").tail(1)  # type: ignore[attr-defined]
        last = last.rename(columns={"games": "learned"})[["run", "learned", "model"]]
        frame = frame.merge(last, on="run", how="left").fillna({"learned": 0}).astype({"learned": "int64"})
        return frame.assign(experiment=stored.name)[list(TRAINING_RUNS)]

    def learning_curve(self, experiment: Which = _LAST) -> pd.DataFrame:
        """One row per learner (``label``), training seed, checkpoint (``games`` learned from) and fixed opponent.

        ``played``, ``wins``, ``draws`` and ``losses`` count the games that measure the checkpoint, from its point of
        view, forfeits included; percentages lie in 0-100. ``moves`` counts the moves of the games learned from so far;
        it is null if the learner does not report ``plies``. ``seconds`` and ``cpu_seconds`` are what learning took so
        far. ``player`` is the spec of the checkpoint's player in the tournament of the experiment.

        A run that failed has rows for the checkpoints that it did not reach, with ``failed`` true, no games, and 0 %.
        """
        return NotebookFrame(self.measured(experiment).curve)

    def ladder(self, experiment: Which = _LAST) -> pd.DataFrame:
        """One row per checkpoint and one per fixed opponent, the best rating first.

        ``label``, ``seed`` and ``games`` identify the checkpoint. They are null for fixed opponents. Checkpoints with
        equal models are the same player; each has a row with the same rating. Candidates of sweeps have no row.
        ``rating`` is a rating of the first rating system, fitted to all games of the experiment. ``error`` is half the
        width of its 95 % interval. ``played`` is the number of games.
        """
        measured = self.measured(experiment)
        return NotebookFrame(experiment_tables.ladder(measured, self.standings(measured.tournament_id)))  # type: ignore[attr-defined]

    def aggregate(
        self, experiment: Which = _LAST, measure: Measure = "score_pct", opponent: str | None = None
    ) -> pd.DataFrame:
        """One row per learner and checkpoint: ``measure`` over the training seeds, against one opponent or all.

        ``iqm`` is the interquartile mean over seeds and opponents, with ``low`` and ``high`` the bounds of its 95 %
        interval (:func:`arena.statistics.aggregate.two_level_interval`; null with fewer than five seeds). ``mean``,
        ``median`` and ``worst`` (the minimum) summarize one score per seed, its mean over the opponents. A failed run
        counts as 0 %.
        """
        return NotebookFrame(experiment_tables.aggregate(self.measured(experiment), measure, opponent))

    def final_scores(self, experiment: Which = _LAST) -> pd.DataFrame:
        """One row per learner, measure (``score_pct`` and ``win_pct``) and opponent: the last checkpoint.

        ``opponent`` is null in the rows of all opponents together. ``games`` is the number of training games. The other
        columns are those of :meth:`aggregate`.
        """
        return NotebookFrame(experiment_tables.final_scores(self.measured(experiment)))

    def compare_learners(self, experiment: Which = _LAST, measure: Measure = "score_pct") -> pd.DataFrame:
        """One row per pair of learners: ``measure`` at the last checkpoint, over the training seeds.

        ``difference`` is the mean of ``first`` minus the mean of ``second``, over seeds and opponents, in percentage
        points. ``improvement_pct`` is the probability that a run of ``first`` scores more than a run of ``second``
        (:func:`arena.statistics.aggregate.probability_of_improvement`). ``improvement_low`` and ``improvement_high``
        are the bounds of its 95 % interval. ``p_value`` comes from a permutation test over the seeds, with Holm's
        adjustment for all pairs of the table.
        """
        return NotebookFrame(experiment_tables.compare_learners(self.measured(experiment), measure))

    def decisions(self, experiment: Which = _LAST, groups: int | None = None) -> pd.DataFrame:
        """One row per pair of learners of an experiment with ``until-decided``: what the sequential test has decided.

        ``decision`` is ``first`` or ``second`` (the better learner) or ``undecided``, ``seeds`` the number of training
        seeds of each learner after which that was known. The test (:class:`arena.statistics.adastop.AdaStop`) compares
        the mean scores at the last checkpoint, with a probability of any wrong decision of 5 % at most. With
        ``groups``, only the seeds of that many first groups count. Raises UsageError if there is no test.
        """
        return NotebookFrame(experiment_tables.decisions(self.measured(experiment), groups))

    def learners(
        self, experiment: Which = _LAST, measure: Measure = "score_pct", threshold: float = THRESHOLD
    ) -> pd.DataFrame:
        """One row per learner: how well and how fast it learns.

        ``final`` is the mean of ``measure`` over seeds and opponents at the last checkpoint. ``area`` is its mean over
        the course of learning (:func:`arena.statistics.aggregate.area_under_curve`).

        A seed reaches the threshold when its mean over the opponents is first at least ``threshold`` percent.
        ``reached_seeds`` counts the seeds that reach it. ``reached_games`` is the median number of training games that
        the seeds need. It is null unless more than half of the seeds reach the threshold.
        """
        return NotebookFrame(experiment_tables.learners(self.measured(experiment), measure, threshold))

    def sweep(self, experiment: Which = _LAST) -> pd.DataFrame:
        """One row per candidate of each sweep, by learner (``label``).

        ``candidate`` is the label of its training runs, ``spec`` the learner with its option values. ``score_pct`` is
        the mean over sweep seeds and opponents after ``games`` training games, ``worst`` the mean of the worst seed; a
        failed run counts as 0 %. ``seeds`` counts the seeds that are measured, ``failed`` the failed ones among them.
        ``chosen`` says which candidate the learner was trained with; it is null until all are measured.
        """
        with self._database.engine.connect() as connection:
            stored = stored_experiment(connection, experiment, self.location)
            candidates = candidates_of(connection, stored.id)
            if not candidates:
                return _swept([])
            labels = {label for label, *_ in candidates}
            runs = [run for run in experiment_runs_of(connection, stored.id) if run.label in labels]
            read = MeasuredExperiment(connection, stored, runs)
        rows = []
        for label, learner, spec, chosen in candidates:
            scores = read.scores(label)
            number = max(scores, default=None)
            by_seed = pd.Series(dtype=float) if number is None else 100 * scores[number].by_seed
            numbers = (number, len(by_seed), read.failed[label], by_seed.mean(), by_seed.min())
            rows.append((read.name, learner, label, spec, *numbers, chosen))
        return _swept(rows)

    def measured(self, which: Which = _LAST) -> MeasuredExperiment:
        """Return the training runs and games of an experiment, for several tables from one reading.

        Runs of candidates are left out. The module :mod:`arena.store.experiment_tables` makes tables of it.
        """
        with self._database.engine.connect() as connection:
            stored = stored_experiment(connection, which, self.location)
            candidates = {label for label, *_ in candidates_of(connection, stored.id)}
            runs = [run for run in experiment_runs_of(connection, stored.id) if run.label not in candidates]
            return MeasuredExperiment(connection, stored, runs)


def _swept(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(SWEEP))
    return NotebookFrame(frame.astype({"games": "Int64", "chosen": "boolean"}))
