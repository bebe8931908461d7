"""Training runs of older versions, in which options, settings and metrics had other names."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from safetensors.numpy import load, save

from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.store import Results, Store
from arena.training import training
from arena.training.plan import Measuring, RunPlan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OLD = {
    "td": {"lambda": "trace", "baselines": "yardsticks", "baseline_games": "yardstick_games"},
    "tuning": {"baselines": "yardsticks", "baseline_games": "yardstick_games"},
}

NEW_OPTIONS = {"td": ["learn"], "tuning": ["l2"]}
"""Options that older versions of the learners did not have."""
NEW_STATE = {"studied", "losses", "features", "results"}
"""Arrays that older states of the learner ``tuning`` did not have."""


def train(path: Path, learner: str, games: int) -> training.Trained:
    plan = RunPlan(specs.parse("learner", learner), 3, games, measuring=Measuring(20, "random", 2), database=str(path))
    with Store.open(path) as store:
        return training.begin(store, plan).learn()


def use_old_names(path: Path) -> None:
    """Change the runs of a database to the old names."""

    def identity(name: str, state: dict[str, str]) -> dict[str, str]:
        words = {key.replace("baseline ", "yardstick "): value for key, value in state.items()}
        if name == "td":
            words["trace"] = words.pop("lambda")
        for option in NEW_OPTIONS[name]:
            del words[option]
        return words | {"spec": state["spec"].replace("lambda=", "trace=")}

    with closing(sqlite3.connect(path)) as connection:
        for key, spec, text in connection.execute("SELECT id, learner, settings FROM runs").fetchall():
            name, settings = spec.partition(":")[0], json.loads(text)
            old: dict[str, Any] = {OLD[name].get(word, word): value for word, value in settings.items()}
            old["identity"] = identity(name, settings["identity"])
            old["changes"] = [{"games": 0, "identity": old["identity"]}]
            row = (spec.replace("lambda=", "trace="), json.dumps(old), key)
            connection.execute("UPDATE runs SET learner = ?, settings = ? WHERE id = ?", row)
        connection.execute("UPDATE run_metrics SET metric = 'draws', value = value / 100 WHERE metric = 'draw_pct'")
        query = "SELECT run_id, games, state FROM checkpoints WHERE player LIKE 'tuned%' AND state IS NOT NULL"
        for key, games, blob in connection.execute(query).fetchall():
            state = {name: array for name, array in load(blob).items() if name not in NEW_STATE}
            row = (save(state), key, games)
            connection.execute("UPDATE checkpoints SET state = ? WHERE run_id = ? AND games = ?", row)
        for key, text in connection.execute("SELECT hash, provenance FROM models").fetchall():
            connection.execute(
                "UPDATE models SET provenance = ? WHERE hash = ?", (text.replace("lambda=", "trace="), key)
            )
        connection.commit()


@pytest.fixture
def older(tmp_path: Path, as_older: Callable[[Path, Path, str], None]) -> Path:
    newest, path = tmp_path / "newest.sqlite", tmp_path / "old.sqlite"
    train(newest, "td:lambda=0.5:explore=0.2", 40)
    train(newest, "tuning:depth=1", 20)
    use_old_names(newest)
    as_older(newest, path, "0006")
    return path


def test_a_tuning_run_of_an_older_version_resumes_with_identical_results(older: Path, tmp_path: Path) -> None:
    with Store.open(older) as store:
        resumed = training.resume(store, "tuning", 40).learn()
    assert resumed.model.hash == train(tmp_path / "whole.sqlite", "tuning:depth=1", 40).model.hash


def test_a_run_of_an_older_version_resumes_with_identical_results(older: Path, tmp_path: Path) -> None:
    with Store.open(older) as store:
        resumed = training.resume(store, "td", 60).learn()
    assert resumed.run.learner.spec == "td:lambda=0.5:explore=0.2"
    assert resumed.provenance["command"] == "arena train td:lambda=0.5:explore=0.2 --games 60 --seed 3"
    assert resumed.model.hash == train(tmp_path / "whole.sqlite", "td:lambda=0.5:explore=0.2", 60).model.hash


def test_older_models_play_and_have_new_names_in_their_provenance(older: Path) -> None:
    Store.open(older).close()
    assert specs.parse("player", "td@20", resolver=ModelResolver(older)).create()
    model = ModelResolver(older).resolve("td@20")
    assert model.provenance["command"] == "arena train td:lambda=0.5:explore=0.2 --games 20 --seed 3"
    assert model.provenance["learner"] == "td:lambda=0.5:explore=0.2"


def test_older_shares_become_percentages(older: Path, tmp_path: Path) -> None:
    Store.open(older).close()
    with Results(older) as old, Results(tmp_path / "newest.sqlite") as new:
        upgraded, with_old_names = (
            each.metrics().query("run == 'tuning' and opponent.isna()").set_index(["games", "metric"])["value"]
            for each in (old, new)
        )
        shares = with_old_names.xs("draws", level="metric")
        assert len(shares)
        assert upgraded.xs("draw_pct", level="metric").tolist() == pytest.approx((100 * shares).tolist())
        assert "draws" not in upgraded.index.get_level_values("metric")
