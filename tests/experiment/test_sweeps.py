"""Sweeps: candidates are compared on seeds of their own, and the best one is trained with the reported seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.errors import UsageError
from arena.experiment import estimate, runner
from arena.experiment.plan import ExperimentPlan, PlannedRun
from arena.experiment.settings import ExperimentSettings
from arena.store import Store
from experimenting import TABLE, carried_out, content

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.experiment.session import ExperimentProgress
    from launchers import SharedLauncher

pytestmark = pytest.mark.usefixtures("tiny", "shared_launcher")

SWEEP: dict[str, Any] = {
    "seeds": 2,
    "sweep-seeds": [11, 12, 13],
    "learners": [
        {"learner": "tiny", "games": 8, "checkpoints": [4, 8], "sweep": {"scale": [0.3, 0.7], "seconds": [0.0, 0.001]}},
        {"label": "plain", "learner": "tiny", "games": 8, "checkpoints": [8]},
    ],
    "measuring": {"opponents": ["random", "m1"], "games": 4, "final-games": 2},
}
SPECS = ["tiny:scale=0.3", "tiny:scale=0.3:seconds=0.001", "tiny:scale=0.7", "tiny:scale=0.7:seconds=0.001"]
MOST_GAMES = 4 * 3 * 2 * 4 + 2 * (2 + 1) * 2 * 4 + 2 * 2
GAMES = MOST_GAMES - 2 * 3 * 2 * 4
"""``seconds`` changes no model, and equal models play as one."""


def settings(**changes: Any) -> ExperimentSettings:
    return ExperimentSettings.from_table(SWEEP | changes)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, tiny: None, module_launcher: SharedLauncher) -> Path:  # noqa: ARG001
    """The database of an uninterrupted sweep. Tests only read it."""
    return carried_out(tmp_path_factory.mktemp("sweep") / "arena.sqlite", settings(), workers=1)


def test_a_grid_of_option_values_makes_the_candidates(db: Path) -> None:
    plan = ExperimentPlan(settings(), db)
    assert [each.spec for each in plan.candidates] == SPECS
    assert [each.label for each in plan.candidates] == ["tiny.1", "tiny.2", "tiny.3", "tiny.4"]
    assert plan.sweep_runs[:5] == [*(PlannedRun(f"tiny.{n}", 11) for n in (1, 2, 3, 4)), PlannedRun("tiny.1", 12)]
    assert plan.checkpoints("tiny.1") == [8]
    assert plan.training_games == 4 * 3 * 8 + 2 * 2 * 8
    assert plan.games == MOST_GAMES
    plan.choose("tiny.2")
    assert plan.plans["tiny"].learner.text == "tiny:scale=0.3:seconds=0.001"
    assert plan.checkpoints("tiny") == [4, 8]


def test_the_estimate_counts_candidates(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "_seconds_per_game", lambda _play, _step=1: 1.0)
    plan = ExperimentPlan(settings(measuring={"opponents": ["random"], "games": 4}), db)
    assert estimate.seconds(plan, 2) == (plan.training_games + plan.games) / 2


def test_the_candidate_with_the_best_score_on_the_sweep_seeds_is_chosen(swept: Path) -> None:
    with arena.Results(swept) as results:
        sweep, games, runs = results.sweep("x"), results.games("x"), results.runs()
        points = {}
        for candidate in sweep["candidate"]:
            names = [f"x.{candidate}.{seed}" for seed in (11, 12, 13)]
            models = [results.checkpoints(name)["model"].iloc[-1] for name in names]
            points[candidate] = [score_of(games, model) for model in models]
    assert sweep["spec"].tolist() == SPECS
    assert (sweep["label"] == "tiny").all()
    assert (sweep["seeds"] == 3).all()
    assert sweep["score_pct"].tolist() == pytest.approx([100 * sum(each) / 3 for each in points.values()])
    assert sweep["worst"].tolist() == pytest.approx([100 * min(each) for each in points.values()])
    assert sweep["chosen"].tolist() == [number == sweep["score_pct"].idxmax() for number in range(4)]
    [spec] = sweep[sweep["chosen"]]["spec"]
    reported = runs[runs["run"].isin([f"x.tiny.{seed}" for seed in (1, 2)])]
    assert reported["learner"].tolist() == [spec, spec]


def score_of(games: Any, model: str) -> float:
    """The share of the points that the player of a model has in the games against fixed opponents."""
    total = number = 0
    for row in games.itertuples():
        players = (row.black, row.white)
        mine = [each for each in players if model in each]
        if len(mine) == 1 and {"random", "m1"} & {*players}:
            number += 1
            total += 1 if row.winner == mine[0] else 0.5 if row.result == "1/2-1/2" else 0
    assert number == 2 * 4
    return total / number


def test_tables_of_learners_leave_out_candidates(swept: Path) -> None:
    with arena.Results(swept) as results:
        curve, ladder = results.learning_curve(), results.ladder()
        [row] = results.experiments().to_dict("records")
        assert set(results.aggregate()["label"]) == set(results.learners()["label"]) == {"tiny", "plain"}
        assert len(results.compare_learners()) == 1
        assert len(results.games("x")) == GAMES
    assert set(curve["seed"]) == {1, 2}
    assert set(ladder["label"].dropna()) == {"tiny", "plain"}
    assert len(ladder) == 2 + 2 * (2 + 1)
    assert (row["learners"], row["seeds"], row["runs"], row["games"]) == (2, 2, 4 * 3 + 2 * 2, GAMES)


@pytest.mark.long
def test_the_database_does_not_depend_on_the_number_of_processes(swept: Path, db: Path) -> None:
    assert content(carried_out(db, settings(), workers=3)) == content(swept)


class Stopped(Exception):
    """Raised in the middle of an experiment."""


def test_a_sweep_that_was_resumed_twice_equals_an_uninterrupted_one(swept: Path, db: Path) -> None:
    def stop_after(games: int) -> Callable[[ExperimentProgress], None]:
        def stop(progress: ExperimentProgress) -> None:
            if progress.played >= games:
                raise Stopped

        return stop

    with pytest.raises(Stopped):
        carried_out(db, settings(), workers=2, progress=stop_after(30))  # the candidates have 48 games
    with Store.open(db) as store, pytest.raises(Stopped):
        runner.resume("x", store, workers=2, progress=stop_after(52))
    with arena.Results(db) as results:
        assert len(results.sweep()) == 4
        assert set(results.learning_curve()["label"]) <= {"tiny", "plain"}
    with Store.open(db) as store:
        runner.resume("x", store, workers=2)
    assert content(db) == content(swept)


def test_a_failed_candidate_counts_as_worst(db: Path) -> None:
    learners = [{"learner": "careless", "games": 12, "sweep": {"games": [4, 1000]}}]
    carried_out(db, settings(learners=learners))
    with arena.Results(db) as results:
        sweep = results.sweep()
    assert sweep["failed"].tolist() == [3, 0]
    assert sweep["score_pct"].iloc[0] == 0
    assert sweep["chosen"].tolist() == [False, True]


def test_an_experiment_without_sweeps_has_no_candidates(experiment: Path) -> None:
    with arena.Results(experiment) as results:
        assert results.sweep().empty


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sweep-seeds": [2, 3]}, "the seed 2 is among seeds and sweep-seeds"),
        ({"sweep-seeds": [3, 3]}, "the seed 3 is given twice in sweep-seeds"),
        ({"sweep-seeds": []}, "at least one"),
        ({"sweep-seeds": 0}, "from 1 to 10000, not 0"),
        ({"seeds": [2**63 - 1], "sweep-seeds": 1}, "sweep-seeds are whole numbers from 0 to"),
        ({"sweep-seeds": "three"}, "sweep-seeds is"),
        ({"learners": TABLE["learners"]}, "sweep-seeds are for learners with a sweep"),
        ({"learners": [{"learner": "tiny", "sweep": {"scale": [1.0]}}]}, "two combinations of values or more"),
        ({"learners": [{"learner": "tiny", "sweep": {"scale": []}}]}, "two combinations of values or more"),
        ({"learners": [{"learner": "tiny", "sweep": {"scale": 1.0}}]}, "scale is a list"),
        ({"learners": [{"learner": "tiny", "sweep": [1]}]}, "sweep is a table"),
        ({"learners": [{"learner": "tiny", "sweep": {"scal": [1.0, 2.0]}}]}, "no option 'scal'"),
        ({"learners": [{"learner": "tiny", "sweep": {"scale": ["a", "b"]}}]}, "takes float, not 'a'"),
        ({"learners": [{"learner": "tiny", "sweep": {"scale": [1, 1.0]}}]}, "the sweep of tiny has tiny twice"),
        ({"learners": [{"learner": "tiny:scale=1.0", "sweep": {"scale": [1, 2]}}]}, "'scale' of tiny is given twice"),
        ({"learners": [*SWEEP["learners"], {"learner": "tiny", "label": "tiny.2"}]}, "two learners are labelled"),
    ],
    ids=str,
)
def test_a_wrong_sweep_is_refused_in_one_line(db: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        ExperimentPlan(settings(**change), db)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not db.exists()


def test_a_sweep_needs_seeds_of_its_own() -> None:
    with pytest.raises(UsageError, match="needs training seeds of its own, for example sweep-seeds = 3"):
        ExperimentSettings.from_table({name: value for name, value in SWEEP.items() if name != "sweep-seeds"})


def test_a_number_of_sweep_seeds_means_the_ones_after_the_reported_seeds() -> None:
    assert settings(**{"sweep-seeds": 2}).candidate_seeds == [3, 4]


def test_the_record_of_a_sweep_gives_the_same_settings() -> None:
    again = ExperimentSettings.from_table(settings().to_json())
    assert (again.learners, again.candidate_seeds) == (settings().learners, [11, 12, 13])


def test_values_of_all_types_are_written_as_options() -> None:
    sweep = {"text": ["a:b=c", "d"], "flag": [True, False]}
    [learner] = settings(learners=[{"learner": "tiny", "sweep": sweep}]).learners
    assert [each.learner for each in learner.candidates] == [
        "tiny:text=[a:b=c]:flag=true",
        "tiny:text=[a:b=c]:flag=false",
        "tiny:text=[d]:flag=true",
        "tiny:text=[d]:flag=false",
    ]
