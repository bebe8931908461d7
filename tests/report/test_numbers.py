"""Every number on the page of an experiment, computed again from the tables of its database by pandas alone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import arena
from arena.report import page
from pages import Reader

if TYPE_CHECKING:
    from pathlib import Path

GAMES = """
SELECT experiment_runs.label, experiment_runs.seed, experiment_checkpoints.games, opponents.spec AS opponent,
    (games.result = '1-0') = (games.black_id = players.id) AND games.result != '1/2-1/2' AS won,
    games.result = '1/2-1/2' AS drawn
FROM experiment_runs
JOIN experiment_checkpoints ON experiment_checkpoints.run_id = experiment_runs.run_id
JOIN players ON players.id = experiment_checkpoints.player_id
JOIN games ON players.id IN (games.black_id, games.white_id)
JOIN players AS opponents ON opponents.id = games.black_id + games.white_id - players.id
WHERE opponents.spec IN ('random', 'm1')
"""
RATINGS = """
SELECT players.spec, ratings.rating, ratings.error, ratings.games FROM ratings
JOIN players ON players.id = ratings.player_id WHERE ratings.place = 0
"""


@pytest.fixture(scope="module")
def shown(experiment: Path) -> Reader:
    with arena.Results(experiment) as results:
        return Reader(page.html(results, "x"))


@pytest.fixture(scope="module")
def games(experiment: Path) -> pd.DataFrame:
    """A row for each measuring game of each checkpoint against a fixed opponent."""
    with closing(sqlite3.connect(experiment)) as connection:
        frame = pd.read_sql(GAMES, connection)
    return frame.assign(score=100 * (frame["won"] + frame["drawn"] / 2))


@pytest.fixture(scope="module")
def scores(games: pd.DataFrame) -> pd.DataFrame:
    """The score of each label, seed, checkpoint and opponent."""
    return games.groupby(["label", "seed", "games", "opponent"], as_index=False)["score"].mean()


def middle(values: pd.Series[float]) -> float:
    """The mean without a quarter of the values at each end."""
    cut = int(len(values) / 4)
    return float(values.sort_values().iloc[cut : len(values) - cut].mean())


def by_seed(scores: pd.DataFrame, label: str) -> pd.DataFrame:
    """A row for each seed, a column for each checkpoint: the mean over the opponents."""
    mine = scores[scores["label"] == label]
    return mine.groupby(["seed", "games"])["score"].mean().unstack("games")


def area(curve: pd.Series[float]) -> float:
    places = [0.0, *(float(str(each)) for each in curve.index)]
    heights = [curve.iloc[0], *curve]
    widths = np.diff(places)
    return float(
        sum(width * (a + b) / 2 for width, a, b in zip(widths, heights, heights[1:], strict=False)) / places[-1]
    )


def reached(curve: pd.Series[float]) -> float:
    places, heights = curve.index.to_numpy(float), curve.to_numpy()
    above = np.flatnonzero(heights >= 75)
    if not len(above):
        return np.inf
    if above[0] == 0:
        return float(places[0])
    at = above[0]
    return float(np.interp(75, heights[at - 1 : at + 1], places[at - 1 : at + 1]))


def test_scores_of_learners(shown: Reader, scores: pd.DataFrame) -> None:
    labels = shown.column("learners", "learner")
    assert sorted(labels) == sorted(scores["label"].unique())
    for place, label in enumerate(labels):
        curves = by_seed(scores, label)
        last = scores[(scores["label"] == label) & (scores["games"] == curves.columns[-1])]
        needed = float(np.median([reached(curve) for _, curve in curves.iterrows()]))
        expected = {
            "seeds": str(len(curves)),
            "games": str(curves.columns[-1]),
            "score %": f"{middle(last['score']):.1f}",
            "95 % interval": "",
            "worst": f"{curves.iloc[:, -1].min():.1f}",
            "area": f"{np.mean([area(curve) for _, curve in curves.iterrows()]):.1f}",
            "games to 75 %": f"{needed:.0f}" if np.isfinite(needed) else "",
        }
        assert {heading: shown.column("learners", heading)[place] for heading in expected} == expected


def test_comparison_of_learners(shown: Reader, scores: pd.DataFrame) -> None:
    [(first, second)] = zip(*(shown.column("compared-learners", each) for each in ("first", "second")), strict=True)
    last = {label: scores[(scores["label"] == label) & (scores["games"] == 12)] for label in (first, second)}
    one, other = (frame.pivot(index="seed", columns="opponent", values="score") for frame in last.values())
    difference = one.to_numpy().mean() - other.to_numpy().mean()
    better = np.mean([np.sign(a - b) / 2 + 0.5 for name in one for a in one[name] for b in other[name]])
    means = [*one.mean(axis=1), *other.mean(axis=1)]
    divisions = list(combinations(range(4), 2))
    gaps = [
        abs(np.mean([means[i] for i in each]) - np.mean([means[i] for i in range(4) if i not in each]))
        for each in divisions
    ]
    p_value = np.mean([gap >= abs(difference) - 1e-9 for gap in gaps])
    row: dict[str, Any] = {name: shown.column("compared-learners", name)[0] for name in ("difference", "better %", "p")}
    assert row == {"difference": f"{difference:+.1f}", "better %": f"{100 * better:.1f}", "p": f"{p_value:.3f}"}


def test_games_at_the_last_checkpoint(shown: Reader, games: pd.DataFrame) -> None:
    rows = [
        shown.column("final-scores", each)
        for each in ("learner", "opponent", "games", "won-drawn-lost", "win %", "score %")
    ]
    for label, opponent, number, counts, win_pct, score_pct in zip(*rows, strict=True):
        mine = games[(games["label"] == label) & (games["opponent"] == opponent) & (games["games"] == 12)]
        won, drawn = mine["won"].sum(), mine["drawn"].sum()
        assert (number, counts) == (str(len(mine)), f"{won}-{drawn}-{len(mine) - won - drawn}")
        assert (win_pct, score_pct) == (f"{100 * mine['won'].mean():.1f}", f"{mine['score'].mean():.1f}")


def test_scores_at_each_checkpoint(shown: Reader, scores: pd.DataFrame) -> None:
    headings = ("learner", "games", "score %", "mean", "median", "worst")
    for label, number, *numbers in zip(
        *(shown.column("checkpoints-of-learners", each) for each in headings), strict=True
    ):
        here = scores[(scores["label"] == label) & (scores["games"] == int(number))]
        means = here.groupby("seed")["score"].mean()
        values = (middle(here["score"]), means.mean(), means.median(), means.min())
        assert numbers == [f"{value:.1f}" for value in values]


def test_ratings_are_those_on_record(shown: Reader, experiment: Path) -> None:
    with closing(sqlite3.connect(experiment)) as connection:
        ratings = pd.read_sql(RATINGS, connection).set_index("spec")
    players = shown.column("ladder", "player")
    assert players == sorted(players, key=lambda player: (-ratings.loc[player, "rating"], player))
    assert shown.column("ladder", "rating") == [
        f"{ratings.loc[player, 'rating']:+.0f} ± {ratings.loc[player, 'error']:.0f}" for player in players
    ]
