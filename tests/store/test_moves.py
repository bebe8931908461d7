"""The moves that learners learned from, in learning curves."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import arena
from arena.plots import experiments
from experimenting import experiment, tiny

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["experiment", "tiny"]
REPORTS = [(2, 50.0), (4, 60.5), (8, 10.25), (12, 100.0)]
"""Games so far, and the mean plies of the games since the report before."""
MOVES = {4: 2 * 50 + 2 * 60.5, 8: 221 + 4 * 10.25, 12: 262 + 4 * 100}


@pytest.fixture
def reporting(experiment: Path, tmp_path: Path) -> Path:
    """The database of the experiment, with reports of plies for all runs of ``slow``."""
    path = tmp_path / "arena.sqlite"
    shutil.copy(experiment, path)
    with closing(sqlite3.connect(path)) as connection:
        runs = connection.execute("SELECT run_id FROM experiment_runs WHERE label = 'slow'").fetchall()
        rows = [(run, games, "", "plies", plies) for (run,) in runs for games, plies in REPORTS]
        connection.executemany("INSERT INTO run_metrics VALUES (?, ?, ?, ?, ?)", rows)
        connection.commit()
    return path


def test_moves_add_up_the_reported_plies(reporting: Path) -> None:
    with arena.Results(reporting) as results:
        curve = results.learning_curve("x").set_index("label")
    assert curve.loc["tiny", "moves"].isna().all()
    slow = curve.loc["slow"]
    assert len(slow) == 12
    assert [MOVES[games] for games in slow["games"]] == slow["moves"].tolist()


def test_a_curve_over_moves_has_them_as_its_horizontal_axis(reporting: Path) -> None:
    with arena.Results(reporting) as results:
        [axes] = experiments.learning_curve(results, "x", horizontal="moves").axes
    [line] = [line for line in axes.lines if str(line.get_label()).startswith("slow")]
    assert list(line.get_xdata()) == list(MOVES.values())
    assert axes.get_xlabel().startswith("moves learned from")
