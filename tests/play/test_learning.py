"""Opponents that learn from their games with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from arena.errors import ArenaError, StoreError, UsageError
from arena.play import Session, learning, new_setup
from arena.plugins import specs
from arena.store import Results
from arena.training import training
from playing import moves

if TYPE_CHECKING:
    from arena.store import Store
    from playing import Play

LEARNING: dict[str, Any] = {"learning": True, "name": "Ann"}


def finish(game: Session, number: int = 3) -> str | None:
    """Play some moves, resign, record the game, and return the checkpoint that learned from it."""
    moves(game, number)
    game.resign()
    game.record()
    assert game.recorded is not None
    assert game.recorded.problem is None
    return game.recorded.checkpoint


def weights(store: Store, checkpoint: str) -> Any:
    from arena.plugins.models import ModelResolver

    return ModelResolver(store.database).resolve(checkpoint).model.tensors["weights"]


def test_the_next_game_meets_what_was_learned_from_the_last_one(play: Play, store: Store) -> None:
    first = play("lms", seed=1, **LEARNING)
    assert (first.setup.opponent, first.setup.learning) == ("lms", "lms")
    assert finish(first) == "people-lms@1"
    second = play("lms", seed=2, **LEARNING)
    assert (second.setup.opponent, second.setup.learning) == ("people-lms@1", "lms")
    assert finish(second) == "people-lms@2"
    assert not np.array_equal(weights(store, "people-lms@1"), weights(store, "people-lms@2"))
    with Results(store.location) as results:
        assert list(results.games("people").white) == ["lms", "people-lms@1"]
        model = results.checkpoints("people-lms").model.iloc[-1]
        assert list(results.origins(model).game) == ["people/1", "people/2"]
        assert set(results.learned_from("people/1").made_by) == {"people-lms@1", "people-lms@2"}
        [run] = results.runs().to_dict("records")
        assert (run["games"], run["learned"], run["checkpoints"]) == (2, 2, 2)
        assert set(results.metrics("people-lms").games) == {1, 2}


def test_an_interruption_between_games_changes_nothing(play: Play, store: Store) -> None:
    """The learner of the second game is restored from the state after the first one."""
    for seed in (1, 2):
        finish(play("lms", seed=seed, **LEARNING))
    run = store.runs.get("people-lms")
    episodes = [
        learning._episode(results_game(store, f"people/{number}"), play("random").setup.side.other) for number in (1, 2)
    ]
    from arena.plugins.models import ModelResolver

    learner = specs.parse("learner", run.learner.spec, resolver=ModelResolver(store.database)).create()
    learner.begin(run.seed)
    for episode in episodes:
        learner.learn_from([episode])
    assert np.array_equal(learner.model().tensors["weights"], weights(store, "people-lms@2"))


def results_game(store: Store, name: str) -> Any:
    with Results(store.location) as results:
        return results.game(name)


def test_a_lost_game_lowers_the_value_of_the_last_board_for_the_opponent(play: Play, store: Store) -> None:
    """Gradient check: after a game that the opponent won, it values the boards of the game higher."""
    from arena_evaluators.linear import features

    game = play("lms", seed=1, **LEARNING)
    before = weights_of_player(game.setup.opponent)
    checkpoint = finish(game)
    assert checkpoint is not None
    boards = np.array([board.relative for board in game.game.boards], dtype=np.int64)
    x = features(boards, 2, len(boards) - 1, True)[-1]
    assert x @ weights(store, checkpoint) > x @ before


def weights_of_player(spec: str) -> Any:
    model = specs.parse("player", spec).model
    assert model is not None
    return model[1].tensors["weights"]


def test_the_last_checkpoint_goes_on_with_its_run_and_another_one_starts_a_run(play: Play) -> None:
    assert finish(play("lms", seed=1, **LEARNING)) == "people-lms@1"
    assert finish(play("people-lms@last", seed=2, **LEARNING)) == "people-lms@2"
    assert finish(play("people-lms@1", seed=3, **LEARNING)) == "people-lms-2@1"
    assert finish(play("lms:depth=2", seed=4, **LEARNING)) == "people-lms-3@1"


def test_a_resumed_game_is_learned_from(play: Play, store: Store) -> None:
    game = play("lms", **LEARNING)
    moves(game, 2)
    game.save()
    again = Session.resumed(store.people.get("last"), store)
    again.resign()
    again.record()
    assert again.recorded is not None
    assert again.recorded.checkpoint == "people-lms@1"


def test_two_games_at_the_same_time_are_both_learned_from(play: Play) -> None:
    one, other = play("lms", seed=1, **LEARNING), play("lms", seed=2, **LEARNING)
    assert [finish(one), finish(other)] == ["people-lms@1", "people-lms@2"]


def test_an_outdated_lesson_is_not_recorded(play: Play, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = play("lms", seed=1, **LEARNING), play("lms", seed=2, **LEARNING)
    lesson = learning.lesson

    def interrupted(*arguments: Any) -> Any:
        early = lesson(*arguments)
        monkeypatch.setattr(learning, "lesson", lesson)
        finish(other)
        return early

    monkeypatch.setattr(learning, "lesson", interrupted)
    assert finish(one) == "people-lms@2"
    assert store.runs.checkpoints(store.runs.get("last").id) == [1, 2]


def test_nothing_is_lost_if_recording_fails(play: Play, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    game = play("lms", **LEARNING)
    moves(game, 3)
    game.resign()

    def failing(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(learning.Lesson, "record", failing)
        with pytest.raises(KeyboardInterrupt):
            game.record()
    with Results(store.location) as results:
        assert results.games("people").empty
        assert results.checkpoints("people-lms").empty
    game.save()
    again = Session.resumed(store.people.get("last"), store)
    assert again.record() == "people/1"
    assert again.recorded is not None
    assert again.recorded.checkpoint == "people-lms@1"
    with pytest.raises(StoreError, match="on record already"):
        again.save()


def test_a_learner_that_fails_does_not_keep_the_game_from_the_record(
    play: Play, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play("lms", **LEARNING)
    moves(game, 2)
    game.resign()
    learner = specs.parse("learner", "lms").registered.cls

    def failing(*_: Any) -> None:
        raise RuntimeError("diverged")

    monkeypatch.setattr(learner, "learn_from", failing)
    assert game.record() == "people/1"
    assert game.recorded is not None
    assert "diverged" in str(game.recorded.problem)
    assert store.runs.checkpoints(store.runs.get("last").id) == []


@pytest.mark.parametrize(("number", "forfeits"), [(0, False), (2, True)])
def test_nothing_is_learned_from_forfeits_and_empty_games(play: Play, time: Any, number: int, forfeits: bool) -> None:
    game = play("lms", clock=60.0, **LEARNING)
    moves(game, number)
    if forfeits:
        time.now += 100
        assert game.check_time()
    else:
        game.resign()
    game.record()
    assert game.recorded is not None
    assert "nothing is learned from this game" in str(game.recorded.problem)


def test_players_without_a_learner_are_refused(store: Store) -> None:
    with pytest.raises(UsageError, match=r"none of the players can learn while it plays; these can: .*lms"):
        new_setup(store, "minimax", learning=True)


def test_the_run_is_not_resumed_by_training(play: Play, store: Store) -> None:
    finish(play("lms", **LEARNING))
    with pytest.raises(ArenaError, match="arena play --learning --against lms continues it"):
        training.resume(store, "people-lms")
