"""Games of people on record: finished ones as games of a tournament, unfinished ones to be taken up again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

import arena
from arena.checkers.game import Termination
from arena.checkers.move import Move, Side
from arena.errors import StoreError
from arena.play import Ending, Session
from arena.plugins import specs
from arena.store import PlayerIdentity, Results, Store
from arena.store.pruning import unused
from arena.training.sources import RecordedGames
from playing import moves

if TYPE_CHECKING:
    from playing import Opponent, Play, Time


def rows(store: Store, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(store.location)) as connection:
        return connection.execute(query).fetchall()


def test_a_finished_game_is_a_game_of_the_tournament_of_people(play: Play, store: Store, opponent: Opponent) -> None:
    opponent.will_report(1.5)
    game = play(name="Ann", side=Side.WHITE, clock=60.0, increment=2.0)
    game.reply()
    moves(game, 3)
    game.undo()
    game.advice("m1")
    game.resign()
    assert game.record() == "people/1"
    game.close()
    assert opponent.result == "1-0"
    with Results(store.location) as results:
        record = results.game("people/1")
        assert (record.black, record.white) == ("random", "human:name=Ann")
        assert (record.result, record.termination, record.forfeited_by) == ("1-0", "resignation", None)
        assert (record.opening, record.first, record.seed) == ("start", "black", game.setup.seed)
        assert list(record.moves) == game.move_texts()
        assert record.scores[:2] == (1.5, None)
        assert record.depths[:2] == (3, None)
        assert None not in record.seconds
        standings = results.standings("people").set_index("player")
        assert list(standings.loc["human:name=Ann", ["games", "wins", "losses"]]) == [1, 0, 1]
        assert standings.rating.notna().all()
        pair = results.head_to_head("people").set_index("player")
        assert pair.loc["random", "win_pct"] == 100
        [tournament] = results.tournaments().to_dict("records")
        assert (tournament["games"], tournament["planned"], tournament["players"]) == (1, 1, 2)
    assert rows(store, "SELECT side, hints, undone, clock, increment FROM person_games") == [("white", 1, 2, 60, 2)]


def test_games_are_numbered_in_the_order_in_which_they_end(play: Play) -> None:
    names = []
    for seed, name in enumerate(("Ann", "Bob", "Ann")):
        game = play(seed=seed, name=name)
        game.resign()
        names.append(game.record())
    assert names == ["people/1", "people/2", "people/3"]


def test_rounds_2k_and_2k_plus_1_share_an_opening_with_the_colours_swapped(play: Play, store: Store) -> None:
    fen = "B:W21,22:B1,2"
    for seed, (side, start) in enumerate(
        [
            (Side.BLACK, "start"),
            (Side.BLACK, "start"),
            (Side.WHITE, fen),
            (Side.WHITE, "start"),
            (Side.BLACK, fen),
            (Side.WHITE, "start"),
        ]
    ):
        game = play(seed=seed, side=side, start=start)
        game.resign()
        game.record()
    query = "SELECT round, opening, black_id FROM games ORDER BY round"
    [a, b, c, d, e, f] = rows(store, query)
    assert [row[0] for row in (a, b, c, d, e, f)] == [0, 1, 2, 3, 4, 5]
    assert all(one[1] == two[1] and one[2] != two[2] for one, two in ((a, b), (c, d), (e, f)))


def test_learners_can_learn_from_games_against_people(play: Play, store: Store) -> None:
    game = play()
    moves(game, 2)
    game.resign()
    game.record()
    assert len(RecordedGames(["people"], store.location)) == 1


def test_an_unfinished_game_is_taken_up_as_it_was(play: Play, store: Store, time: Time, opponent: Opponent) -> None:
    opponent.will_report(0.5, -0.5)
    game = play(name="Ann", clock=60.0, increment=1.0, move_timeout=7.0)
    time.now += 5
    moves(game, 2)
    game.advice("m1")
    time.now += 5
    number = game.save()
    time.now += 1000  # a saved game has no running clock
    again = Session.resumed(store.people.get("last"), store, now=time)
    again.start()
    assert again.number == number
    assert again.setup == game.setup
    assert again.game.moves == game.game.moves
    assert again.game.boards == game.game.boards
    assert again.clock.all_left == [52.0, 62.0]
    assert (again.hints, again.last_score, again.persons_turn) == (1, -0.5, True)
    again.resign()
    again.record()
    assert store.people.saved() == []
    with Results(store.location) as results:
        assert results.game("last").scores == (None, 0.5, None, -0.5)


def test_saving_again_keeps_the_number(play: Play, store: Store) -> None:
    one, other = play(seed=1), play(seed=2)
    assert [one.save(), other.save(), one.save()] == [1, 2, 1]
    one.play(Move((11, 15)))
    one.save()
    assert [(game.number, game.plies) for game in store.people.saved()] == [(2, 0), (1, 1)]


def test_the_model_of_a_saved_game_is_in_use(play: Play, store: Store) -> None:
    model = arena.Model("lms", {"weights": np.ones(7)}, {})
    store.add_model(model, {})
    game = play(f"lms:weights=@{model.hash}")
    with create_engine(f"sqlite:///{store.location}", poolclass=NullPool).connect() as reader:
        assert [each.name for each in unused(reader) if each.what == "model"] == [model.hash]
        game.save()
    with create_engine(f"sqlite:///{store.location}", poolclass=NullPool).connect() as reader:
        assert [each for each in unused(reader) if each.what == "model"] == []


def test_a_number_is_never_used_again(play: Play) -> None:
    first, second = play(seed=1), play(seed=2)
    assert first.save() == 1
    first.resign()
    first.record()
    assert second.save() == 2


def test_a_finished_game_that_could_not_be_recorded_is_recorded_when_it_is_taken_up(play: Play, store: Store) -> None:
    game = play()
    game.resign()
    game.save()
    again = Session.resumed(store.people.get("last"), store)
    assert again.ending == Ending(Side.WHITE, Termination.RESIGNATION)
    assert again.record() == "people/1"


def test_a_game_is_recorded_once(play: Play) -> None:
    game = play()
    game.resign()
    game.record()
    with pytest.raises(StoreError, match="duplicate"):
        game.record()


@pytest.mark.parametrize("which", ["2", "first", "-1"])
def test_an_unknown_saved_game_is_an_error_that_lists_the_others(play: Play, store: Store, which: str) -> None:
    with pytest.raises(StoreError, match="holds no saved game: arena play starts"):
        store.people.get(which)
    play(name="Ann").save()
    with pytest.raises(StoreError, match=r"it holds 1 \(human:name=Ann against random\)"):
        store.people.get(which)


@pytest.mark.parametrize(
    "damage",
    ["state = '{}'", "state = json_set(state, '$.moves[0]', json('[1, 5]'))", "state = json_set(state, '$.moves', 3)"],
)
def test_a_damaged_saved_game_is_a_one_line_error(play: Play, store: Store, damage: str) -> None:
    game = play()
    moves(game, 1)
    game.save()
    with closing(sqlite3.connect(store.location)) as connection:
        connection.execute(f"UPDATE saved_games SET {damage}")
        connection.commit()
    with pytest.raises(StoreError, match="saved game 1 is damaged") as error:
        Session.resumed(store.people.get("1"), store)
    assert "\n" not in str(error.value)


def test_a_tournament_of_the_same_name_is_left_alone(play: Play, store: Store) -> None:
    store.create_tournament(
        "people", 1, {}, [PlayerIdentity("m1", "m1", "d", "1"), PlayerIdentity("m2", "m2", "d", "1")]
    )
    for seed in (1, 2):
        game = play(seed=seed)
        game.resign()
        assert game.record() == f"people-2/{seed}"


def test_a_changed_opponent_is_counted_as_another_version(
    play: Play, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = play(seed=1)
    game.resign()
    game.record()
    saved = play(seed=2)
    saved.save()
    registered = specs.parse("player", "random").registered
    monkeypatch.setattr(type(registered), "code", "0123456789abcdef", raising=False)
    later = Session.resumed(store.people.get("last"), store)
    assert len(later.changes) == 1
    assert "now" in later.changes[0]
    later.resign()
    later.record()
    with Results(store.location) as results:
        versions = results.versions("people")
        assert list(versions[versions.player == "random"].games) == [1, 1]
        assert list(versions[versions.player == "human"].games) == [2]


def test_a_game_saved_in_the_opponents_turn_goes_on_with_its_reply(play: Play, store: Store) -> None:
    game = play()
    game.play(Move((11, 15)))
    game.save()
    again = Session.resumed(store.people.get("1"), store)
    assert not again.persons_turn
    again.reply()
    assert again.persons_turn
