"""The estimated duration of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from arena.errors import LearnerError
from arena.experiment import estimate
from arena.experiment.plan import ExperimentPlan
from arena.plugins import registry
from experimenting import TABLE, settings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("tiny")


@pytest.mark.parametrize("final_games", [0, 2])
def test_an_estimate_counts_every_game(db: Path, monkeypatch: pytest.MonkeyPatch, final_games: int) -> None:
    """If every game takes one second, the estimate is the number of games, divided by the number of processes."""

    def one_second(play: Any, step: int = 1) -> float:
        play(step)
        return 1.0

    monkeypatch.setattr(estimate, "_seconds_per_game", one_second)
    plan = ExperimentPlan(settings(measuring=TABLE["measuring"] | {"final-games": final_games}), db)
    assert estimate.seconds(plan, workers=2) == (plan.training_games + plan.games) / 2


def test_the_players_of_timed_games_share_one_model(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner that takes long to make its model makes the estimate no longer than the experiment."""
    made: list[object] = []
    tiny = registry.load().get("learner", "tiny").cls
    model = tiny.model
    monkeypatch.setattr(tiny, "model", lambda learner: made.append(learner) or model(learner))
    monkeypatch.setattr(estimate, "SAMPLE", 0.02)
    estimate.seconds(ExperimentPlan(settings(), db), workers=2)
    assert len(made) == len(settings().labels)


def test_a_learner_that_fails_stops_the_estimate(db: Path) -> None:
    plan = ExperimentPlan(settings(learners=[{"learner": "careless", "games": 4}]), db)
    with pytest.raises(LearnerError, match="the learner careless failed: ZeroDivisionError"):
        estimate.seconds(plan, workers=2)
