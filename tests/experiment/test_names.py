"""Relative names in the file of an experiment mean the same when it is resumed later or in another folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.errors import UsageError
from arena.experiment import runner
from arena.experiment.plan import ExperimentPlan
from arena.experiment.settings import ExperimentSettings
from arena.store import Store
from arena.training import training
from experimenting import carried_out, content, settings

if TYPE_CHECKING:
    from pathlib import Path

    from arena.experiment.session import ExperimentProgress

pytestmark = pytest.mark.usefixtures("tiny", "shared_launcher")

MINE = """
import arena
from arena_tiny import Tiny


class Greedy(arena.Player):
    def choose(self, game):
        return max(game.board.legal_moves, key=lambda move: len(move.captures))


class Timid(arena.Player):
    def choose(self, game):
        return min(game.board.legal_moves, key=lambda move: len(move.captures))


class Faster(Tiny):
    pass
"""
TABLE: dict[str, Any] = {
    "seeds": 1,
    "learners": [{"learner": "./mine.py", "games": 4, "checkpoints": [2, 4]}],
    "measuring": {"opponents": ["./mine.py:Greedy", "random"], "games": 4},
}


class Stopped(Exception):
    """Raised in the middle of an experiment."""


def test_classes_in_files_are_found_from_another_folder(
    db: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "mine.py").write_text(MINE)
    monkeypatch.chdir(home)

    def stop(progress: ExperimentProgress) -> None:
        if progress.played >= 5:
            raise Stopped

    with pytest.raises(Stopped):
        carried_out(db, ExperimentSettings.from_table(TABLE), workers=1, progress=stop)
    with arena.Results(db) as results:
        stored = results.experiment().settings
    assert stored["files"] == {"mine": str(home / "mine.py")}
    assert (stored["learners"][0]["learner"], stored["measuring"]["opponents"]) == ("mine", ["mine:Greedy", "random"])
    monkeypatch.chdir(elsewhere)
    with Store.open(db) as store:
        runner.resume("x", store, workers=1)
        with arena.Results(db) as results:
            assert results.experiments()[["games", "planned", "failed"]].to_numpy().tolist() == [[16, 16, 0]]
        (home / "mine.py").rename(home / "other.py")
        with pytest.raises(UsageError, match=r"'mine' was in the file .*mine\.py, which does not exist any more"):
            runner.resume("x", store)


def test_the_label_of_a_class_in_a_file_is_the_name_of_the_file() -> None:
    assert ExperimentSettings.from_table(TABLE).labels == ["mine"]


def from_games_of(name: str) -> ExperimentSettings:
    return settings(seeds=1, learners=[{"learner": "tiny", "games": 4, "checkpoints": [2, 4], "from": [name]}])


@pytest.mark.parametrize("name", ["last", "1", "x"])
def test_recorded_games_have_the_name_of_their_tournament(experiment: Path, name: str) -> None:
    plan = ExperimentPlan(from_games_of(name), experiment)
    assert plan.settings.learners[0].from_ == ["x"]
    assert plan.plans["tiny"].to_json()["from"] == ["x"]


def test_the_origins_of_a_model_from_the_last_games_are_found(experiment: Path, db: Path) -> None:
    db.write_bytes(experiment.read_bytes())
    with Store.open(db) as store:
        runner.run("new", ExperimentPlan(from_games_of("last"), db), store, workers=1)
        whole = content(db)
        runner.resume("new", store, workers=1)  # the last tournament is now another one
    assert content(db) == whole
    with arena.Results(db) as results:
        model = results.checkpoints("new.tiny.1")["model"].iloc[-1]
        origins = results.origins(model)
        assert (origins["source"].tolist(), origins["times"].tolist()) == (["x"] * 4, [1] * 4)
        for game in origins["game"]:
            assert model in set(results.learned_from(game)["model"])


def test_the_last_model_of_a_run_stays_the_same_opponent(db: Path) -> None:
    with Store.open(db) as store:
        plan = ExperimentPlan(settings(), db)
        training.begin(store, plan.run_plan(plan.runs[0]), "tiny").learn()
        measuring = {"opponents": ["tiny@last", "random"], "games": 2}
        again = ExperimentPlan(settings(measuring=measuring), db)
        assert again.settings.measuring.opponents == ["tiny@12", "random"]
