"""The benchmark of large databases, with a small one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arena
from arena.store import checking
from arena.store.database import Database

if TYPE_CHECKING:
    from types import ModuleType

GAMES = 2000
"""Games of the smallest database: two for each checkpoint and opponent."""


@pytest.fixture(scope="module")
def scale() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2]))
        from benchmarks import scale

    return scale


def test_the_database_is_sound_and_its_questions_have_answers(
    scale: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scale.sqlite"
    scale.make(path, GAMES)
    with Database(path, write=False).engine.connect() as connection:
        assert list(checking.problems(connection, lambda _done, _total: None)) == []
    with arena.Results(path) as results:
        curve = results.learning_curve(scale.NAME)
        assert curve["played"].tolist() == [2] * 1000
        assert results.standings(scale.NAME)["games"].sum() == 2 * GAMES
        assert len(results.ladder(scale.NAME)) == 205
        for question in scale.QUESTIONS.values():
            question(results)
    monkeypatch.chdir(Path(__file__).parents[2])
    seconds, megabytes = scale.measure(path, "standings")
    assert seconds > 0
    assert 30 < megabytes < 2000
