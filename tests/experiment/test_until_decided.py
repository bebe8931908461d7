"""Groups of training seeds are added until a sequential test has compared the learners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import arena
from arena.errors import UsageError
from arena.experiment import runner
from arena.experiment.settings import ExperimentSettings
from arena.statistics.adastop import AdaStop
from arena.store import Store
from experimenting import carried_out, content

if TYPE_CHECKING:
    from pathlib import Path

    from arena.experiment.session import ExperimentProgress

pytestmark = pytest.mark.usefixtures("tiny", "shared_launcher")

GROUPS: dict[str, Any] = {
    "seeds": 5,
    "until-decided": 2,
    "learners": [
        {"learner": "tiny", "games": 4, "checkpoints": [4]},
        {"learner": "tiny:scale=0.3", "label": "slow", "games": 4, "checkpoints": [4]},
        {"learner": "careless", "games": 4, "checkpoints": [4]},
    ],
    "measuring": {"opponents": ["random"], "games": 4, "final-games": 2},
}
"""Every run of ``careless`` fails, and counts as 0 %."""


def settings(**changes: Any) -> ExperimentSettings:
    return ExperimentSettings.from_table(GROUPS | changes)


class Stopped(Exception):
    """Raised in the middle of an experiment."""


def test_decided_learners_get_no_more_seeds_and_a_resumed_experiment_is_the_same(tmp_path: Path) -> None:
    whole = carried_out(tmp_path / "whole.sqlite", settings(), workers=1)
    with arena.Results(whole) as results:
        decisions, curve = results.decisions(), results.learning_curve()
    seeds = {label: list(part["seed"]) for label, part in curve.groupby("label")}
    assert seeds == {"tiny": [*range(1, 11)], "slow": [*range(1, 11)], "careless": [1, 2, 3, 4, 5]}
    found = {(row.first, row.second): (row.decision, row.seeds) for row in decisions.itertuples()}
    assert found["tiny", "careless"] == found["slow", "careless"] == ("first", 5)
    assert found["tiny", "slow"][1] == 10
    scores = [
        np.array(curve[curve["label"] == label].sort_values("seed")["score_pct"]) / 100 for label in ("tiny", "slow")
    ]
    [alone] = AdaStop(5, 2).decisions(scores)
    assert found["tiny", "slow"][0] == {1: "first", -1: "second", 0: "undecided"}[alone.sign]

    stopped = tmp_path / "stopped.sqlite"

    def stop(progress: ExperimentProgress) -> None:
        if progress.played >= 45:  # in the second group
            raise Stopped

    with pytest.raises(Stopped):
        carried_out(stopped, settings(), workers=1, progress=stop)
    with Store.open(stopped) as store:
        runner.resume("x", store, workers=1)
    assert content(stopped) == content(whole)


def test_groups_continue_the_seeds() -> None:
    assert settings(seeds=[4, 9, 2]).seed_groups == [[4, 9, 2], [10, 11, 12]]
    assert settings().training_seeds == list(range(1, 11))
    again = ExperimentSettings.from_table(settings().to_json())
    assert again.seed_groups == settings().seed_groups


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learners": GROUPS["learners"][:1]}, "until-decided compares learners: give two or more"),
        ({"seeds": 2, "until-decided": 1}, "2 seeds in 1 groups are too few to decide"),
        ({"until-decided": 0}, "until-decided is a whole number, 1 or more, not 0"),
        ({"seeds": 5000, "until-decided": 10}, "from 1 to 10000"),
    ],
    ids=str,
)
def test_a_wrong_number_of_groups_is_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        settings(**change)
    assert message in str(caught.value)


def test_an_experiment_without_groups_has_no_decisions(experiment: Path) -> None:
    with arena.Results(experiment) as results, pytest.raises(UsageError, match="has no sequential test"):
        results.decisions("x")
