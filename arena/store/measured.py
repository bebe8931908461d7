"""The games that measure the checkpoints of an experiment: learning curves and scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from sqlalchemy import select

from arena.errors import UsageError
from arena.statistics.aggregate import PairScores
from arena.store import pairs
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
_SCORES, _WINS = np.linspace(0, 1, 5), np.linspace(0, 1, 3)
"""Possible scores of a pair of games, and shares of its games that are won."""
MEASURES: tuple[Measure, ...] = ("score_pct", "win_pct")
UNDECIDED = "undecided"
"""A pair of learners that a sequential test has not decided."""
CURVE = (
    *("experiment", "label", "seed", "games", "opponent", "played", "wins", "draws", "losses"),
    *("win_pct", "score_pct", "moves", "seconds", "cpu_seconds", "player", "failed"),
)


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a learner at one checkpoint."""

    seeds: list[int]
    """Training seeds, sorted."""
    pairs: PairScores
    """The pairs of games of each seed against each opponent."""

    @property
    def by_seed(self) -> pd.Series[float]:
        """The mean score of each seed over the opponents, 0 to 1."""
        return pd.Series(self.pairs.means.mean(axis=1), index=self.seeds)


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
        games = pairs.results(connection, self.tournament_id)
        self._results = games[games["opponent_id"].isin(self._opponents.keys())]
        played = pairs.pairs(connection, self.tournament_id)
        swapped = played.rename(columns={"player_id": "opponent_id", "opponent_id": "player_id"})
        swapped = swapped.assign(first=2 - swapped["first"], second=2 - swapped["second"])
        both = pd.concat([played, swapped], ignore_index=True)
        self._pairs_of_games = both[both["opponent_id"].isin(self._opponents.keys())]

    @property
    def opponents(self) -> list[str]:
        """The specs of the fixed opponents, in the order of the experiment's file."""
        return list(self._opponents.values())

    @cached_property
    def curve(self) -> pd.DataFrame:
        """See :meth:`ExperimentResults.learning_curve`."""
        frame = self.checkpoints.merge(self._results, on="player_id").assign(failed=False)
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

    def scores(self, label: str, measure: Measure = "score_pct", opponent: str | None = None) -> dict[int, Scores]:
        """Return the scores of a learner by number of training games, against one opponent or all.

        Only seeds with all games have scores. A failed run has 0 at the checkpoints that it did not reach.
        """
        if measure not in MEASURES:
            raise UsageError(f"a measure is one of {', '.join(MEASURES)}, not {measure!r}")
        if opponent is not None and opponent not in self.opponents:
            raise UsageError(f"{opponent!r} is not an opponent; there are {', '.join(self.opponents)}")
        opponents = self.opponents if opponent is None else [opponent]
        places = {spec: place for place, spec in enumerate(opponents)}
        played = self.checkpoints[self.checkpoints["label"] == label].merge(self._pairs_of_games, on="player_id")
        played = played.assign(place=played["opponent_id"].map(self._specs).map(places)).dropna(subset=["place"])
        half_points, won = played["first"] + played["second"], (played[["first", "second"]] == 2).sum(axis=1)
        values, value = (_SCORES, half_points) if measure == "score_pct" else (_WINS, won)
        found: dict[int, Scores] = {}
        for number in self._numbers(label):
            lost = [seed for each, seed, learned in self._unreached if (each, learned) == (label, number)]
            here = played["games"] == number
            seeds = sorted({*played.loc[here, "seed"], *lost})
            counts = np.zeros((len(seeds), len(opponents), len(values)), np.int64)
            counts[[seeds.index(seed) for seed in lost], :, 0] = self._pairs
            rows = np.searchsorted(seeds, played.loc[here, "seed"])
            np.add.at(counts, (rows, played.loc[here, "place"].astype(int), value[here]), played.loc[here, "pairs"])
            complete = (counts.sum(axis=2) == self._pairs).all(axis=1)
            if complete.any():
                chosen = [seed for seed, is_complete in zip(seeds, complete, strict=True) if is_complete]
                found[number] = Scores(chosen, PairScores(counts[complete], values))
        return found

    def by_seed(self, label: str) -> np.ndarray[Any, Any]:
        """Return the mean score of each training seed at the last checkpoint (0 to 1), up to the first seed that has
        no score, in the order of training."""
        scores = self.scores(label)
        if not scores:
            return np.empty(0)
        means = scores[max(scores)].by_seed.reindex(self._seeds).to_numpy(dtype=np.float64)
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
