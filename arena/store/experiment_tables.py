"""Tables of a measured experiment: :class:`arena.Results` has a method of the same name for each, which explains it."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from arena.errors import UsageError
from arena.statistics import aggregate as statistics
from arena.statistics.adastop import AdaStop
from arena.statistics.holm import holm
from arena.store.measured import MEASURES, UNDECIDED

if TYPE_CHECKING:
    from arena.statistics.aggregate import PairScores
    from arena.store.measured import Measure, MeasuredExperiment

LADDER = ("experiment", "player", "label", "seed", "games", "rating", "error", "played")
AGGREGATE = ("experiment", "label", "games", "seeds", "iqm", "low", "high", "mean", "median", "worst")
FINAL = ("experiment", "label", "games", "opponent", "measure", *AGGREGATE[3:])
COMPARISON = (
    *("experiment", "first", "second", "seeds", "difference", "improvement_pct"),
    *("improvement_low", "improvement_high", "p_value"),
)
DECISIONS = ("experiment", "first", "second", "decision", "seeds")
SUMMARY = ("experiment", "label", "seeds", "failed", "final", "area", "threshold", "reached_games", "reached_seeds")
THRESHOLD = 75.0
"""Percentage that a seed reaches in the table of learners."""


def ladder(measured: MeasuredExperiment, standings: pd.DataFrame) -> pd.DataFrame:
    """``standings`` are those of the experiment's tournament."""
    wanted = {"rating_error": "error", "games": "played"}
    rated = standings[["player", "rating", "rating_error", "games"]].rename(columns=wanted)
    frame = measured.checkpoints[["player", "label", "seed", "games"]].merge(rated, on="player", how="right")
    frame = frame[frame["label"].notna() | frame["player"].isin(measured.opponents)]
    frame = frame.assign(experiment=measured.name).astype({"seed": "Int64", "games": "Int64"})
    return frame.sort_values(["rating", "player"], ascending=[False, True], ignore_index=True)[list(LADDER)]


def aggregate(
    measured: MeasuredExperiment, measure: Measure = "score_pct", opponent: str | None = None
) -> pd.DataFrame:
    rows = [
        (measured.name, label, learned, *_summary(scores.pairs))
        for label in measured.labels
        for learned, scores in measured.scores(label, measure, opponent).items()
    ]
    return pd.DataFrame(rows, columns=list(AGGREGATE))


def final_scores(measured: MeasuredExperiment) -> pd.DataFrame:
    rows = []
    for label in measured.labels:
        for measure in MEASURES:
            for opponent in (None, *measured.opponents):
                if scores := measured.scores(label, measure, opponent):
                    last = max(scores)
                    rows.append((measured.name, label, last, opponent, measure, *_summary(scores[last].pairs)))
    return pd.DataFrame(rows, columns=list(FINAL))


def compare_learners(measured: MeasuredExperiment, measure: Measure = "score_pct") -> pd.DataFrame:
    last = {}
    for label in measured.labels:
        if scores := measured.scores(label, measure):
            last[label] = scores[max(scores)].pairs.means
    rows, p_values = [], []
    for first, second in combinations(last, 2):
        one, other = last[first], last[second]
        low, high = statistics.improvement_interval(one, other)
        p_values.append(statistics.difference_p_value(one.mean(axis=1), other.mean(axis=1)))
        rows.append(
            (
                *(measured.name, first, second, min(len(one), len(other))),
                100 * float(one.mean() - other.mean()),
                100 * statistics.probability_of_improvement(one, other),
                *(100 * low, 100 * high),
            )
        )
    known = [value for value in p_values if not np.isnan(value)]
    adjusted = iter(holm(known))
    frame = pd.DataFrame(rows, columns=list(COMPARISON[:-1]))
    return frame.assign(p_value=[np.nan if np.isnan(value) else next(adjusted) for value in p_values])


def decisions(measured: MeasuredExperiment, groups: int | None = None) -> pd.DataFrame:
    size, most = measured.groups
    if most is None:
        raise UsageError(f"experiment {measured.name!r} has no sequential test: until-decided adds one")
    test = AdaStop(size, most)
    scores = [measured.by_seed(label)[: size * (groups or most)] for label in measured.labels]
    names = {1: "first", -1: "second", 0: UNDECIDED}
    rows = [
        (measured.name, measured.labels[each.first], measured.labels[each.second], names[each.sign], size * each.group)
        for each in test.decisions(scores)
    ]
    return pd.DataFrame(rows, columns=list(DECISIONS))


def learners(
    measured: MeasuredExperiment, measure: Measure = "score_pct", threshold: float = THRESHOLD
) -> pd.DataFrame:
    if not 0 <= threshold <= 100:
        raise UsageError(f"a threshold is a percentage from 0 to 100, not {threshold}")
    rows = []
    for label in measured.labels:
        by_games = {number: 100 * scores.by_seed for number, scores in measured.scores(label, measure).items()}
        curves = pd.DataFrame(by_games).dropna()
        if curves.empty:
            continue
        learned, by_seed = list(by_games), curves.to_numpy()
        areas = [statistics.area_under_curve(learned, list(each)) for each in by_seed]
        reached = np.array([statistics.first_reached(learned, list(each), threshold) for each in by_seed])
        reached_seeds = int((~np.isnan(reached)).sum())
        median = float(np.median(np.where(np.isnan(reached), np.inf, reached)))
        rows.append(
            (
                *(measured.name, label, len(by_seed), measured.failed[label]),
                *(float(by_seed[:, -1].mean()), float(np.mean(areas)), threshold),
                *(median if np.isfinite(median) else np.nan, reached_seeds),
            )
        )
    return pd.DataFrame(rows, columns=list(SUMMARY))


def _summary(scores: PairScores) -> tuple[int, float, float, float, float, float, float]:
    """Return the columns of :data:`AGGREGATE` from ``seeds`` on."""
    by_seed = 100 * scores.means.mean(axis=1)
    low, high = statistics.two_level_interval(scores)
    middle = 100 * float(statistics.interquartile_mean(scores.means))
    spread = float(by_seed.mean()), float(np.median(by_seed)), float(by_seed.min())
    return len(by_seed), middle, 100 * low, 100 * high, *spread
