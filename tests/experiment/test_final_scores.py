"""The scores at the last checkpoint, computed again from the games."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

import arena
from arena.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("tiny", "shared_launcher")


def test_final_scores_follow_from_the_learning_curve(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        final, curve = results.final_scores("x"), results.learning_curve("x")
    assert len(final) == 2 * 2 * (2 + 1)
    last = curve[curve["games"] == 12]
    for row in final.itertuples():
        mine = last[last["label"] == row.label]
        if isinstance(row.opponent, str):
            mine = mine[mine["opponent"] == row.opponent]
        by_seed = mine.groupby("seed")[row.measure].mean()
        assert (row.games, row.seeds) == (12, 2)
        assert (row.mean, row.median, row.worst) == pytest.approx((by_seed.mean(), by_seed.median(), by_seed.min()))
        values = np.sort(mine[row.measure])
        cut = len(values) // 4
        assert row.iqm == pytest.approx(values[cut : len(values) - cut].mean())
        assert np.isnan(row.low)  # fewer than five seeds


def test_the_rows_of_all_opponents_are_those_of_aggregate(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        final, whole = results.final_scores("x"), results.aggregate("x", "win_pct")
    final = final[final["opponent"].isna() & (final["measure"] == "win_pct")].drop(columns=["opponent", "measure"])
    whole = whole.groupby("label", sort=False).tail(1)
    assert final.reset_index(drop=True).equals(whole.reset_index(drop=True))


def test_show_prints_final_scores_as_csv(experiment: Path) -> None:
    shown = CliRunner().invoke(app, ["experiment", "show", "x", "--db", str(experiment), "--csv"])
    with arena.Results(experiment) as results:
        final = results.final_scores("x")
    rows = list(csv.DictReader(io.StringIO(shown.stdout)))
    assert [row["opponent"] for row in rows] == final["opponent"].fillna("").tolist()
    assert [float(row["iqm"]) for row in rows] == pytest.approx(final["iqm"].tolist(), abs=0.005)
