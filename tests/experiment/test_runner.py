"""Experiments: training, games and records, also after a stop and a resume at any point."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.errors import StoreError, UsageError
from arena.experiment import runner
from arena.experiment.plan import ExperimentPlan
from arena.store import Store
from arena.tournament import runner as tournament_runner
from arena.training import training
from experimenting import carried_out, content, settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.experiment.session import ExperimentProgress

pytestmark = pytest.mark.usefixtures("tiny", "shared_launcher")

GAMES = 2 * 5 * 2 * 4 + 2 * 2


def test_all_measuring_games_are_recorded_in_the_tournament(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        curve = results.learning_curve("x")
        games = results.games("x")
        [row] = results.experiments().to_dict("records")
        assert results.metrics("all")["opponent"].isna().all()  # nothing is measured a second time in training
    assert len(games) == GAMES
    assert (row["learners"], row["seeds"], row["runs"], row["failed"]) == (2, 2, 4, 0)
    assert (row["checkpoints"], row["games"], row["planned"], row["tournament"]) == (10, GAMES, GAMES, "x")
    assert len(curve) == 10 * 2
    assert (curve["played"] == 4).all()
    for each in curve.itertuples():
        mine = games[(games["black"] == each.player) | (games["white"] == each.player)]
        mine = mine[(mine["black"] == each.opponent) | (mine["white"] == each.opponent)]
        assert (mine["winner"] == each.player).sum() == each.wins
        assert (mine["result"] == "1/2-1/2").sum() == each.draws


def test_runs_learn_what_arena_train_learns(experiment: Path, db: Path) -> None:
    plan = ExperimentPlan(settings(), db)
    with Store.open(db) as store, arena.Results(experiment) as results:
        for planned in plan.runs:
            trained = training.begin(store, plan.run_plan(planned)).learn()
            stored = results.checkpoints(f"x.{planned.label}.{planned.seed}")
            assert stored["model"].iloc[-1] == trained.model.hash
            assert stored["games"].tolist() == plan.checkpoints(planned.label)


def test_the_database_does_not_depend_on_the_number_of_processes(experiment: Path, db: Path) -> None:
    assert content(carried_out(db, workers=3)) == content(experiment)


class Stopped(Exception):
    """Raised in the middle of an experiment."""


@pytest.mark.parametrize("stops", [(1, 75), pytest.param((0, 30), marks=pytest.mark.long)])
def test_an_experiment_that_was_resumed_twice_equals_an_uninterrupted_one(
    experiment: Path, db: Path, stops: tuple[int, int]
) -> None:
    def stop_after(games: int) -> Callable[[ExperimentProgress], None]:
        def stop(progress: ExperimentProgress) -> None:
            if progress.played >= games:
                raise Stopped

        return stop

    with pytest.raises(Stopped):
        carried_out(db, workers=2, progress=stop_after(stops[0]))
    with Store.open(db) as store, pytest.raises(Stopped):
        runner.resume("x", store, workers=2, progress=stop_after(stops[1]))
    with arena.Results(db) as results:
        assert (results.learning_curve()["played"] <= 4).all()
        assert set(results.learners()["label"]) <= {"tiny", "slow"}
        assert (results.aggregate()["seeds"] <= 2).all()
        assert len(results.compare_learners()) <= 1
        assert {"random", "m1"} <= set(results.ladder()["player"])
    with Store.open(db) as store:
        runner.resume("x", store, workers=2)
    assert content(db) == content(experiment)


def test_resuming_a_finished_experiment_changes_nothing(experiment: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(experiment.read_bytes())
    with Store.open(copy) as store:
        runner.resume("last", store)
    assert content(copy) == content(experiment)


def test_a_failed_run_counts_as_0_percent_and_does_not_stop_the_others(db: Path) -> None:
    learners = [
        {"learner": "tiny", "games": 12, "checkpoints": [4, 12]},
        {"learner": "careless:games=4", "games": 12, "checkpoints": [4, 12]},
    ]
    lines: list[str] = []
    carried_out(db, settings(learners=learners), say=lines.append)
    with arena.Results(db) as results:
        curve, summary = results.learning_curve(), results.learners()
        [row] = results.experiments().to_dict("records")
    assert row["failed"] == 2
    assert sum("has failed" in line and "ZeroDivisionError" in line for line in lines) == 2
    careless = curve[curve["label"] == "careless"]
    assert careless[careless["games"] == 12][["failed", "score_pct", "played"]].drop_duplicates().values.tolist() == [
        [True, 0.0, 0]
    ]
    assert summary.set_index("label").loc["careless", ["final", "failed"]].tolist() == [0.0, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learners": [{"learner": "tinny"}]}, "did you mean 'tiny'"),
        ({"learners": [{"learner": "tiny:scal=1"}]}, "scale"),
        ({"learners": [{"learner": "tiny", "games": 10, "checkpoints": [20]}]}, "beyond the 10 games"),
        ({"learners": [{"learner": "tiny", "games": 10, "checkpoints": [0]}]}, "0"),
        ({"learners": [{"learner": "pairs", "games": 10, "checkpoints": [3]}]}, "2 games at a time"),
        ({"learners": [{"learner": "reader"}]}, "does not learn from games against itself"),
        ({"learners": [{"learner": "tiny", "from": ["nothing.pdn"]}]}, "nothing.pdn"),
        ({"measuring": {"opponents": ["randm"]}}, "did you mean 'random'"),
        ({"measuring": {"opponents": ["random", "random"]}}, "the opponent random is named twice"),
        ({"measuring": {"opponents": []}}, "an experiment needs opponents"),
        ({"measuring": {"opponents": ["human"]}}, "plays at a terminal"),
        ({"measuring": {"opponents": ["random"], "games": 3}}, "even"),
    ],
    ids=str,
)
def test_invalid_plans_are_refused_before_any_work(db: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ExperimentPlan(settings(**change), db)
    assert message in str(caught.value)
    assert not db.exists()


def test_a_name_that_exists_is_refused(experiment: Path) -> None:
    with Store.open(experiment) as store, pytest.raises(StoreError, match="arena experiment resume x goes on with it"):
        runner.run("x", ExperimentPlan(settings(), experiment), store)


def test_the_tournament_of_an_experiment_cannot_be_resumed_on_its_own(experiment: Path) -> None:
    with Store.open(experiment) as store, pytest.raises(UsageError, match="arena experiment resume x continues it"):
        tournament_runner.resume("x", store)


def test_a_changed_opponent_is_refused(experiment: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(experiment.read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("UPDATE tournaments SET settings = replace(settings, 'checkers-arena', 'another-package')")
        connection.commit()
    with Store.open(copy) as store, pytest.raises(UsageError, match="is not what it was"):
        runner.resume("x", store)


def test_equal_models_share_one_player(db: Path) -> None:
    learners = [
        {"label": "one", "learner": "tiny:seconds=0.2", "games": 4, "checkpoints": [4]},
        {"label": "two", "learner": "tiny", "games": 4, "checkpoints": [4]},
    ]
    carried_out(db, settings(learners=learners), workers=2)
    with arena.Results(db) as results:
        curve, compared = results.learning_curve(), results.compare_learners()
        assert len(results.games("x")) == 2 * 2 * 4
    assert len(curve) == 2 * 2 * 2
    assert compared["difference"].tolist() == [0.0]
    assert compared["p_value"].tolist() == [1.0]
    with closing(sqlite3.connect(db)) as connection:
        makers = [row[0] for row in connection.execute("SELECT provenance ->> 'learner' FROM models")]
    assert makers == ["tiny:seconds=0.2"] * 2  # the first in the plan, though it is recorded later


def test_equal_models_with_different_players_are_measured_apart(db: Path) -> None:
    learners = [
        {"label": "one", "learner": "tiny:seconds=0.2", "games": 4, "checkpoints": [4]},
        {"label": "two", "learner": "tiny:depth=2", "games": 4, "checkpoints": [4]},
        {"label": "three", "learner": "tiny:depth=2:seconds=0.001", "games": 4, "checkpoints": [4]},
    ]
    carried_out(db, settings(learners=learners), workers=2)
    with arena.Results(db) as results:
        players = results.learning_curve().groupby(["seed", "label"])["player"].unique()
        assert len(results.games("x")) == 2 * 2 * 2 * 4 + 2 * 2
        for seed in (1, 2):
            [one], [two], [three] = (players[seed, label] for label in ("one", "two", "three"))
            assert (one.startswith("@"), two, three) == (True, f"tiny:weights={one}:depth=2", two)
