"""The reference: its figures in the documentation are those of its file, which is that of its experiment."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from arena.experiment.settings import ExperimentSettings

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "results" / "reference"
SETTINGS = ExperimentSettings.read(ROOT / "examples" / "experiments" / "reference.toml")
OPPONENTS = SETTINGS.measuring.opponents
MEASURES = ("score_pct", "win_pct")
with (FOLDER / "reference.csv").open(encoding="utf-8", newline="") as file:
    ROWS = {(row["label"], row["measure"], row["opponent"]): row for row in csv.DictReader(file)}
TABLES = re.findall(r"(?:^\|.*\|$\n?)+", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_file_has_a_row_for_each_learner_measure_and_opponent_of_the_experiment() -> None:
    expected = [
        (label, measure, each) for label in SETTINGS.labels for measure in MEASURES for each in ("", *OPPONENTS)
    ]
    assert list(ROWS) == expected
    games = {each.name: str(each.games) for each in SETTINGS.learners}
    for (label, _, _), row in ROWS.items():
        assert (row["experiment"], row["games"]) == ("reference", games[label])
        assert row["seeds"] == str(len(SETTINGS.training_seeds))
        assert 0 <= float(row["low"]) <= float(row["iqm"]) <= float(row["high"]) <= 100
        assert float(row["worst"]) <= float(row["mean"])


@pytest.mark.parametrize(("measure", "table"), list(zip(MEASURES, TABLES, strict=True)), ids=MEASURES)
def test_the_figures_of_the_page_are_those_of_the_file(measure: str, table: str) -> None:
    _, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert [cells[0] for cells in lines] == [f"`{label}`" for label in SETTINGS.labels]
    for label, (_, games, *cells, worst) in zip(SETTINGS.labels, lines, strict=True):
        rows = [ROWS[label, measure, each] for each in (*OPPONENTS, "")]
        assert games.replace(",", "") == rows[0]["games"]
        assert cells == [f"{rounded(row['iqm'])} ({rounded(row['low'])}-{rounded(row['high'])})" for row in rows]
        assert worst == rounded(rows[-1]["worst"])


def rounded(number: str) -> str:
    return f"{float(number):.1f}"
