"""The games that measure the checkpoints of an experiment, as arrays and tables of scores."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from sqlalchemy import select

from arena.errors import UsageError
from arena.store.game_results import GameResults
from arena.store.schema import (
    checkpoints,
    experiment_checkpoints,
    experiment_runs,
    players,
    run_metrics,
    tournament_players,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from arena.store.experiments import StoredExperiment, StoredExperimentRun

Measure = Literal["score_pct", "win_pct"]
MEASURES: tuple[Measure, ...] = ("score_pct", "win_pct")
UNDECIDED = "undecided"
"""A pair of learners that a sequential test has not decided."""
CURVE = (
    *("experiment", "label", "seed", "games", "opponent", "played", "wins", "draws", "losses"),
    *("win_pct", "score_pct", "moves", "seconds", "cpu_seconds", "player", "failed"),
)


class MeasuredExperiment:
    """Training runs of one experiment, with their checkpoints and games."""

    def __init__(self, connection: Connection, stored: StoredExperiment, runs: Sequence[StoredExperimentRun]) -> None:
        """``runs`` are those of the learners, or those of the candidates of sweeps."""
        self.name, self.tournament_id = stored.name, stored.tournament_id
        self.groups: tuple[int, int | None] = len(stored.settings["seeds"]), stored.settings.get("until-decided")
        """Training seeds of a group, and the largest number of groups; None: there is no sequential test."""
        self._seeds = list(dict.fromkeys(run.seed for run in runs))
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
                checkpoints.c.run_id,
            )
            .join(experiment_runs, experiment_runs.c.run_id == experiment_checkpoints.c.run_id)
            .join(
                checkpoints,
                (checkpoints.c.run_id == experiment_checkpoints.c.run_id)
                & (checkpoints.c.games == experiment_checkpoints.c.games),
            )
            .where(experiment_runs.c.experiment_id == stored.id, experiment_runs.c.label.in_(self.labels))
        )
        columns = ["label", "seed", "games", "player_id", "seconds", "cpu_seconds", "run_id"]
        found = pd.DataFrame([tuple(row) for row in connection.execute(query)], columns=columns)
        found = found.merge(_moves(connection, stored.id), on=["run_id", "games"], how="left").drop(columns="run_id")
        found["player"] = found["player_id"].map(self._specs)
        order = {label: number for number, label in enumerate(self.labels)}
        self.checkpoints = found.sort_values(
            ["label", "seed", "games"], key=lambda each: each.map(order) if each.name == "label" else each
        )
        self._played = self._games(connection)

    def _games(self, connection: Connection) -> pd.DataFrame:
        """One row per game of a checkpoint against a fixed opponent: player_id, opponent_id, pair, points."""
        results = GameResults.read(connection, self.tournament_id)
        points = results.half_points / 2
        measured = set(self.checkpoints["player_id"])
        sides = [
            pd.DataFrame({"player_id": mine, "opponent_id": other, "pair": results.round // 2, "points": score})
            for mine, other, score in (
                (results.black, results.white, points),
                (results.white, results.black, 1 - points),
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
        floats = dict.fromkeys(("win_pct", "score_pct", "moves", "seconds", "cpu_seconds"), "float64")
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

    def by_seed(self, label: str) -> np.ndarray[Any, Any]:
        """Return the mean score of each training seed at the last checkpoint (0 to 1), up to the first seed that has
        no score, in the order of training."""
        tables = self.tables(label, "score_pct")
        if not tables:
            return np.empty(0)
        means = tables[max(tables)].mean(axis=1).reindex(self._seeds).to_numpy(dtype=np.float64)
        missing = np.flatnonzero(np.isnan(means))
        return means[: missing[0]] if len(missing) else means


def _moves(connection: Connection, experiment_id: int) -> pd.DataFrame:
    """One row per run and report of its learner: run_id, games, and ``moves`` in these games.

    Learners report ``plies``, the mean number of moves of the games since their last report.
    """
    here = run_metrics.c
    query = (
        select(here.run_id, here.games, here.value)
        .join(experiment_runs, experiment_runs.c.run_id == here.run_id)
        .where(experiment_runs.c.experiment_id == experiment_id, here.metric == "plies", here.opponent == "")
        .order_by(here.run_id, here.games)
    )
    rows = [tuple(row) for row in connection.execute(query)]
    frame = pd.DataFrame(rows, columns=["run_id", "games", "plies"]).astype(
        {"run_id": int, "games": int, "plies": float}
    )
    new = frame.groupby("run_id")["games"].diff().fillna(frame["games"])
    return frame.assign(moves=(new * frame["plies"]).groupby(frame["run_id"]).cumsum().round()).drop(columns="plies")
