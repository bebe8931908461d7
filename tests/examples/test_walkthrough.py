"""The notebook about an experiment runs. Its tables are the stored ones, and its scores are those of the games.

With the environment variable ``ARENA_UPDATE_DOCS`` set, the outputs in the notebook are replaced by the real ones.
"""

from __future__ import annotations

import io
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "experiments" / "walkthrough.ipynb"
LARGEST = 100_000
"""Maximum size of the notebook in bytes."""
SCORES = """
SELECT experiment_runs.label, opponents.spec AS opponent, experiment_runs.seed,
    100 * AVG(CASE games.result WHEN '1/2-1/2' THEN 0.5 ELSE (games.result = '1-0') = (games.black_id = players.id) END)
        AS score
FROM experiment_runs
JOIN experiment_checkpoints ON experiment_checkpoints.run_id = experiment_runs.run_id
JOIN players ON players.id = experiment_checkpoints.player_id
JOIN games ON players.id IN (games.black_id, games.white_id)
JOIN players AS opponents ON opponents.id = games.black_id + games.white_id - players.id
WHERE experiment_checkpoints.games = 40
GROUP BY experiment_runs.label, opponents.spec, experiment_runs.seed
"""


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


def tables(notebook: Any) -> dict[str, str]:
    """The tables of a notebook as text, by the ids of their cells."""
    return {
        cell.id: output.data["text/plain"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.output_type == "execute_result" and "dataframe" in output.data.get("text/html", "")
    }


def update(executed: Any) -> None:
    """Write the executed notebook without messages, versions, and texts of objects that have a picture."""
    for cell in executed.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.output_type != "stream"]
            for output in cell.outputs:
                if "dataframe" not in output.data.get("text/html", "dataframe"):
                    del output.data["text/plain"]
    executed.metadata = read().metadata
    nbformat.write(executed, NOTEBOOK)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files of the executed notebook."""
    return tmp_path_factory.mktemp("walkthrough")


@pytest.fixture(scope="module")
def executed(folder: Path) -> Any:
    """The notebook with the outputs of a new execution. An error in a cell is an error of this fixture."""
    notebook = read()
    client = NotebookClient(notebook, timeout=600, record_timing=False, resources={"metadata": {"path": str(folder)}})
    client.execute(env=os.environ | {name: str(folder) for name in ("TMPDIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR")})
    if "ARENA_UPDATE_DOCS" in os.environ:
        update(notebook)
    return notebook


@pytest.mark.long
def test_the_notebook_shows_the_tables_that_it_stores(executed: Any) -> None:
    assert list(tables(executed)) == ["run", "curve", "aggregate", "comparison", "ladder", "standings", "final"]
    assert tables(executed) == tables(read())


@pytest.mark.long
def test_the_last_table_has_the_scores_of_the_recorded_games(executed: Any, folder: Path) -> None:
    (database,) = folder.glob("*/walkthrough.sqlite")
    with closing(sqlite3.connect(database)) as connection:
        scores = pd.read_sql(SCORES, connection)
    assert len(scores) == 2 * 2 * 5
    expected = scores.groupby(["label", "opponent"])["score"].agg(
        seeds="count", mean="mean", median="median", worst="min"
    )
    shown = pd.read_csv(io.StringIO(tables(executed)["final"]), sep=r"\s+").set_index(["label", "opponent"])
    pd.testing.assert_frame_equal(shown.sort_index(), expected, check_dtype=False)


def test_the_stored_notebook_is_small_and_names_no_folder_and_no_time() -> None:
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert len(text) < LARGEST
    assert not [word for word in ("/tmp", "/home", "started=", "iopub", "stderr") if word in text]
    assert all(cell.execution_count for cell in read().cells if cell.cell_type == "code")
