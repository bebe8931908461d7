"""The teacher ``annotations``: labels and better moves from what people say about moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from annotating import MOVES, record_game
from arena.errors import UsageError
from arena.plugins import specs
from arena.plugins.models import ModelResolver
from arena.store import Store
from arena.training import sources

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.episode import Episode


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "arena.sqlite"
    with Store.open(path) as store:
        assert record_game(store, 3) == "people/1"  # with several legal moves at every ply that is annotated
        record_game(store, 4)
    return path


@pytest.fixture
def store(recorded: Path) -> Any:
    with Store.open(recorded) as store:
        yield store
        for game in ("people/1", "people/2"):
            for each in store.annotations.of(game):
                store.annotations.remove(each.number or 0)


def source(store: Store, *names: str, **settings: Any) -> Any:
    learner = specs.parse("learner", "lms")
    models = ModelResolver(store.database)
    return sources.parse(learner, 1, settings.get("against"), names, "annotations", models)


def episode(store: Store) -> Episode:
    [taught] = source(store).episodes(None, 0, 1)
    assert taught.labels is not None
    return taught


def test_a_label_is_the_score_or_the_mark_or_the_better_move(store: Store) -> None:
    store.annotations.add("people/1", 1, mark="?", score=0.8)
    store.annotations.add("people/1", 2, mark="!!", better=other_move(store, 2))
    store.annotations.add("people/1", 3, better=other_move(store, 3))
    store.annotations.add("people/1", 4, comment="interesting")
    store.annotations.add("people/1", 5, score=0.0)
    labels = episode(store).labels
    np.testing.assert_array_equal(labels[:6], [np.nan, -0.8, -0.75, 0.25, np.nan, 0.0])
    assert np.isnan(labels[6:]).all()
    assert len(labels) == 2 * MOVES + 1


def test_several_annotations_of_a_move_count_with_their_mean(store: Store) -> None:
    store.annotations.add("people/1", 2, "Ann", mark="!")
    store.annotations.add("people/1", 2, "Bob", score=-1)
    store.annotations.add("people/1", 2, "Cy", comment="who knows")
    assert episode(store).labels[2] == 0.25


def test_the_better_move_that_most_people_name_counts(store: Store) -> None:
    one, other = other_move(store, 3), other_move(store, 3, 1)
    for name, move in (("Ann", one), ("Bob", other), ("Cy", other)):
        store.annotations.add("people/1", 3, name, better=move)
    taught = episode(store)
    board = taught.board(2)
    [wanted] = [move for move in board.legal_moves if str(move) == other]
    assert taught.better == {2: board.after(wanted).relative}


def test_the_source_has_all_annotated_games_of_the_database(store: Store) -> None:
    store.annotations.add("people/2", 1, mark="!")
    taught = source(store)
    assert taught.settings["games"] == 1
    assert taught.games(0, 1) == source(store, "people").games(1, 1)
    assert source(store, "people").settings["games"] == 2


def test_settings_change_with_every_annotation_that_matters(store: Store) -> None:
    number = store.annotations.add("people/1", 1, mark="!").number
    first = source(store).settings
    assert first["annotation_numbers"] == [number]
    store.annotations.add("people/1", 2, mark="?")
    assert source(store).settings["annotations"] != first["annotations"]
    assert source(store).settings["hash"] == first["hash"]


def test_without_annotations_there_is_nothing_to_learn(store: Store) -> None:
    with pytest.raises(UsageError, match="no annotated game that is finished: arena annotate"):
        source(store)
    store.annotations.add("people/1", 1, comment="text alone")
    with pytest.raises(UsageError, match="nothing can be learned from them"):
        source(store)
    with pytest.raises(UsageError, match="leave out --against"):
        source(store, against="m1")


def other_move(store: Store, ply: int, which: int = 0) -> str:
    """Return a legal move of a ply that was not played."""
    games = sources.RecordedGames(["people"], store.database)
    before, after = games[0].board(ply - 1), games[0].board(ply)
    return [str(move) for move in before.legal_moves if before.after(move) != after][which]
