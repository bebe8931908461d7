"""Learners learn from what people say about moves: end to end, from the annotation to the weights."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from annotating import record_game
from arena.errors import UsageError
from arena.plugins import specs
from arena.store import Results, Store
from arena.training import sources, training
from arena.training.plan import Experience, Measuring, RunPlan
from arena_evaluators.linear import features

if TYPE_CHECKING:
    from arena.training.training import Trained

PLY = 9
"""The annotated move of Black. On the board after it, the counts of both sides differ."""


@pytest.fixture(scope="module")
def annotated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Databases with the same game and other annotations, by mark."""
    folder = tmp_path_factory.mktemp("people")
    with Store.open(folder / "none.sqlite") as store:
        record_game(store)
    paths = {mark: folder / f"{number}.sqlite" for number, mark in enumerate(("!!", "!", "?", "??"))}
    for mark, path in paths.items():
        shutil.copy(folder / "none.sqlite", path)
        with Store.open(path) as store:
            store.annotations.add("people/1", PLY, "Ann", mark=mark)
    return paths


def train(path: Path, learner: str = "lms", games: int = 20, **settings: Any) -> Trained:
    with Store.open(path) as store:
        spec = specs.parse("learner", learner)
        experience = Experience(**{"teacher": "annotations", **settings})
        plan = RunPlan(spec, 1, games, experience, Measuring(baselines=""), path)
        return training.begin(store, plan).learn()


def value(path: Path, trained: Trained) -> float:
    """Return V̂ of the board after the annotated move, for Black."""
    episode = sources.RecordedGames(["people"], path)[0]
    x = features(episode.boards, PLY, PLY + 1, True)
    return float((x @ trained.model.tensors["weights"])[0])


def test_the_value_of_the_board_follows_the_mark(annotated: dict[str, Path]) -> None:
    values = [value(path, train(path, games=5)) for path in annotated.values()]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1] + 1


def test_a_better_move_raises_the_value_of_the_board_after_it(annotated: dict[str, Path], tmp_path: Path) -> None:
    path = Path(shutil.copy(annotated["?"], tmp_path))
    episode = sources.RecordedGames(["people"], path)[0]
    board, played = episode.board(PLY - 1), episode.boards[PLY : PLY + 1]
    for move in board.legal_moves:
        after = np.array([board.after(move).relative], dtype=np.int64)
        difference = features(after, 0, 1, True)[0] - features(played, 0, 1, True)[0]
        if np.any(difference):
            break
    without = difference @ train(path, games=1).model.tensors["weights"]
    with Store.open(path) as store:
        store.annotations.remove(1)
        store.annotations.add("people/1", PLY, "Ann", mark="?", better=str(move))
    assert difference @ train(path, games=1).model.tensors["weights"] > without


def test_the_same_annotations_make_the_same_model_and_are_on_record(annotated: dict[str, Path]) -> None:
    path = annotated["!"]
    one, other = train(path), train(path)
    assert one.model.hash == other.model.hash
    provenance = one.provenance
    assert provenance["command"] == "arena train lms --games 20 --seed 1 --teacher annotations"
    assert provenance["annotation numbers"] == "1"
    assert len(provenance["annotations"]) == 32
    with Results(path) as results:
        origins = results.origins(one.model.hash)
        assert set(origins.game) == {"people/1"}
        assert one.name in set(results.learned_from("people/1").made_by)


def test_a_run_resumes_with_the_same_annotations_only(annotated: dict[str, Path]) -> None:
    path = annotated["!!"]
    whole, part = train(path, games=30), train(path, games=10)
    with Store.open(path) as store:
        assert training.resume(store, part.run.name, 30).learn().model.hash == whole.model.hash
        number = store.annotations.add("people/1", 1, mark="?").number or 0
        with pytest.raises(UsageError, match=r"cannot be resumed: it has changed \(experience annotations: "):
            training.resume(store, part.run.name, 40)
        store.annotations.remove(number)
        training.resume(store, part.run.name, 40).learn()


@pytest.mark.parametrize("learner", ["td", "tuning", "tdleaf"])
def test_other_learners_refuse_annotations_in_one_line(annotated: dict[str, Path], learner: str) -> None:
    with pytest.raises(UsageError, match=r"a teacher; lms|leave out --from, --against and --teacher") as error:
        train(annotated["?"], learner, games=100)
    assert "\n" not in str(error.value)
