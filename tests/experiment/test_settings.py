"""The file of an experiment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from arena.errors import UsageError
from arena.experiment.settings import ExperimentSettings

if TYPE_CHECKING:
    from pathlib import Path

FILE = """
seeds = 3
[[learners]]
learner = "lms"
games = 100
checkpoints = [20, 100]
[[learners]]
label = "lms-fast"
learner = "lms:rate=0.1"
from = ["games.pdn"]
[measuring]
opponents = ["random", "m1"]
games = 4
final-games = 2
depth = 3
[measuring.rules]
quiet-plies = false
"""


def read(folder: Path, text: str) -> ExperimentSettings:
    path = folder / "x.toml"
    path.write_text(text)
    return ExperimentSettings.read(path)


def test_all_settings(tmp_path: Path) -> None:
    settings = read(tmp_path, FILE)
    assert settings.training_seeds == [1, 2, 3]
    assert settings.labels == ["lms", "lms-fast"]
    assert settings.learners[0].checkpoints == [20, 100]
    assert settings.learners[1].from_ == ["games.pdn"]
    assert settings.measuring.final_games == 2
    assert settings.measuring.tournament.games == 4
    assert settings.measuring.tournament.limits.depth == 3
    assert settings.measuring.rules.quiet_plies is None


def test_the_record_of_an_experiment_gives_the_same_settings(tmp_path: Path) -> None:
    settings = read(tmp_path, FILE)
    stored = json.loads(json.dumps(settings.to_json()))
    again = ExperimentSettings.from_table(stored)
    assert again.training_seeds == settings.training_seeds
    assert (again.learners, again.measuring) == (settings.learners, settings.measuring)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("seeds = 3", "seed = 3"), "there is no 'seed'; did you mean 'seeds'?"),
        (("seeds = 3", "seeds = [1, 2, 1]"), "the seed 1 is given twice"),
        (("seeds = 3", "seeds = 0"), "their number from 1 to 10000, not 0"),
        (("seeds = 3", "seeds = 1000000000000"), "from 1 to 10000"),
        (("seeds = 3", "seeds = []"), "at least one"),
        (("seeds = 3", "seeds = [-1]"), "seeds are whole numbers from 0"),
        (("seeds = 3", 'seeds = "three"'), "seeds is"),
        (("games = 100", "game = 100"), "there is no 'game'; did you mean 'games'?"),
        (("games = 100", "games = 0"), "games is a whole number, 1 or more, not 0"),
        (('label = "lms-fast"', 'label = "lms"'), "two learners are labelled 'lms'"),
        (('label = "lms-fast"', 'label = "a b"'), "a label has letters, digits"),
        (('learner = "lms"\n', ""), "learner is missing"),
        (("final-games = 2", "final-games = 3"), "final-games must be even, not 3"),
        (('opponents = ["random", "m1"]', ""), "opponents is missing"),
        (("depth = 3", "format = 'swiss'"), "there is no 'format'"),
        (("quiet-plies = false", "quiet-plys = false"), "did you mean 'quiet-plies'?"),
        (("[measuring]\n", "[measure]\n"), "there is no 'measure'; did you mean 'measuring'?"),
        (("[[learners]]", "[[learner]]"), "did you mean 'learners'?"),
        (("seeds = 3", "seeds = "), "is not a TOML file"),
    ],
    ids=str,
)
def test_a_wrong_file_is_a_one_line_error(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    assert change[0] in FILE
    with pytest.raises(UsageError) as caught:
        read(tmp_path, FILE.replace(*change))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        ExperimentSettings.read(tmp_path / "nothing.toml")


@pytest.mark.parametrize("table", [{"learners": 3}, {"learners": [3]}, {"learners": [], "measuring": []}])
def test_other_types_are_a_one_line_error(table: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        ExperimentSettings.from_table(table)
