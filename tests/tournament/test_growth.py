"""Tournaments that get more players, or more games of each pairing, when they are resumed."""

from __future__ import annotations

import sqlite3
from contextlib import closing, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import databases
from arena.checkers.game import DrawRules
from arena.errors import ArenaError, UnknownName, UsageError
from arena.plugins import specs
from arena.referee import match
from arena.store import Store
from arena.tournament import runner
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings
from tournaments import StoppedError, stop_after

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask

SETTINGS = TournamentSettings(seed=3, games=2, rules=DrawRules(ply_cap=40))
PLAYERS = ("random", "m1", "minimax:depth=1", "minimax:depth=1:quiescence=false", "m2")


class SerialSource:
    """A source of games that plays them in this process, one after the other."""

    def games(self, tasks: Iterable[GameTask], *_: object, **__: object) -> nullcontext[Iterator[GameRecord]]:
        return nullcontext(map(match.play, tasks))


@pytest.fixture(autouse=True, scope="module")
def serial_source() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "Launcher", lambda _: nullcontext(SerialSource()))
        yield


def play(path: Path, players: str, stop: int | None = None, **changes: Any) -> Path:
    """Play a new tournament, up to ``stop`` games."""
    plan = Plan(replace(SETTINGS, **changes), specs.parse_list("player", players))
    with Store.open(path) as store, suppress(StoppedError):
        runner.run("cup", plan, store, workers=1, progress=stop_after(stop))
    return path


def resume(path: Path, add: str = "", games: int | None = None, stop: int | None = None) -> list[str]:
    """Resume it, up to ``stop`` games; the lines for the user."""
    lines: list[str] = []
    joining = specs.parse_list("player", add) if add else ()
    with Store.open(path) as store, suppress(StoppedError):
        progress = stop_after(stop)
        runner.resume("cup", store, add=joining, games=games, workers=1, progress=progress, say=lines.append)
    return lines


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in a database but times and the numbers of games."""
    tables = databases.contents(path)
    del tables["pairings"]
    query = "SELECT round, model_hash, spec FROM learned_models ORDER BY player_id, round"
    return tables | {"learned_models": rows(path, query)}


def names(path: Path) -> dict[int, str]:
    """The names of the games on record by their ids."""
    return dict(rows(path, "SELECT game, name FROM v_games"))


STEPS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, 2, 4]), st.integers(0, 9)), min_size=1, max_size=3)
"""Number of players added, of games added, and of games until the tournament is stopped; 0: it is not stopped."""


@settings(max_examples=12)
@given(form=st.sampled_from(["round-robin", "gauntlet"]), stop=st.integers(0, 2), steps=STEPS)
def test_a_grown_tournament_has_the_same_games_as_one_of_that_size_from_the_start(
    form: str, stop: int, steps: list[tuple[int, int, int]]
) -> None:
    with TemporaryDirectory() as folder:
        path, players, games = Path(folder, "grown.sqlite"), 2, SETTINGS.games
        play(path, ",".join(PLAYERS[:players]), stop or None, format=form)
        for added, more, limit in steps:
            before = names(path)
            newcomers = PLAYERS[players : players + added]
            players, games = players + len(newcomers), games + more
            resume(path, ",".join(newcomers), games, limit or None)
            after = names(path)
            assert {game: after[game] for game in before} == before
        resume(path)
        whole = play(Path(folder, "whole.sqlite"), ",".join(PLAYERS[:players]), format=form, games=games)
        assert contents(path) == contents(whole)
        total = len(after := names(path))
        assert sorted(after.values()) == sorted(f"cup/{number}" for number in range(1, total + 1))


def test_resume_without_options_finishes_a_tournament_that_grew(tmp_path: Path) -> None:
    path = play(tmp_path / "grown.sqlite", "random,m1")
    resume(path, "m2", 4, stop=1)
    query = "SELECT players, games, planned FROM v_tournaments"
    assert rows(path, query) == [(3, 3, 12)]
    resume(path)
    assert rows(path, query) == [(3, 12, 12)]


def test_new_games_are_numbered_after_all_others_by_pairing(tmp_path: Path) -> None:
    path = play(tmp_path / "grown.sqlite", "random,m1")
    resume(path, "m2", 4)
    blocks = rows(path, "SELECT first, pairing, round, games FROM pairings ORDER BY first")
    assert blocks == [
        (1, "m1 vs random", 0, 2),
        (3, "m1 vs m2", 0, 4),
        (7, "m1 vs random", 2, 2),
        (9, "m2 vs random", 0, 4),
    ]
    with Store.open(path) as store:
        assert store.tournament("cup").settings["games"] == 4
    by_number = dict(rows(path, "SELECT number, pairing || ' ' || round FROM v_games"))
    assert (by_number[2], by_number[8], by_number[12]) == ("m1 vs random 1", "m1 vs random 3", "m2 vs random 3")


def test_a_line_says_how_many_games_are_still_to_play(tmp_path: Path) -> None:
    path = play(tmp_path / "grown.sqlite", "random,m1", stop=1)
    assert resume(path, "m2", 4) == ["'cup' grows from 2 to 12 games: 11 are still to play"]
    assert resume(path, games=4) == []


def test_players_that_learn_can_play_more_games(tmp_path: Path) -> None:
    path = play(tmp_path / "grown.sqlite", "lms,m1", learning=True)
    resume(path, games=6, stop=1)
    resume(path)
    assert contents(path) == contents(play(tmp_path / "whole.sqlite", "lms,m1", learning=True, games=6))
    assert len(contents(path)["learned_models"]) == 7


TEST = {"sprt": "0,20", "openings": "11man"}


def test_an_undecided_sequential_test_can_get_more_games(tmp_path: Path) -> None:
    path = play(tmp_path / "grown.sqlite", "m1,random", **TEST, games=2)
    resume(path, games=400)
    whole = play(tmp_path / "whole.sqlite", "m1,random", **TEST, games=400)
    assert contents(path) == contents(whole)
    assert 2 < len(names(path)) < 400


BAD: list[tuple[dict[str, Any], dict[str, Any], type[ArenaError], str]] = [
    ({}, {"add": "m1"}, UsageError, "m1 already plays in 'cup': add players that do not"),
    ({}, {"add": "m2,m2"}, UsageError, "m2 is named twice"),
    ({}, {"add": "m3"}, UnknownName, "m1, m2"),
    ({}, {"add": "human"}, UsageError, "human plays at a terminal"),
    ({"games": 4}, {"games": 2}, UsageError, "'cup' has 4 games of each pairing: it can get more, not 2"),
    ({}, {"games": 5}, UsageError, "even number of 2 or more"),
    ({}, {"games": 314}, UsageError, "314 games for each pairing are too many: the book has 156 openings"),
    ({"format": "swiss:rounds=1"}, {"add": "m2"}, UsageError, "in the format swiss:rounds=1, pairings depend on"),
    ({"format": "knockout"}, {"games": 4}, UsageError, "in the format knockout, pairings depend on results"),
    ({"learning": True}, {"add": "m2"}, UsageError, "its players learned from games without them"),
    (TEST, {"add": "m2"}, UsageError, "a sequential test compares two players, not 3"),
    (
        {**TEST, "games": 400},
        {"games": 600},
        UsageError,
        r"its sequential test was decided after \d+ games; start a new tournament",
    ),
]


@pytest.mark.parametrize(("changes", "growth", "error", "message"), BAD, ids=lambda value: str(value)[:40])
def test_a_tournament_that_cannot_grow_is_refused_and_unchanged(
    tmp_path: Path, changes: dict[str, Any], growth: dict[str, Any], error: type[ArenaError], message: str
) -> None:
    path = play(tmp_path / "cup.sqlite", "m1,random,lms" if "learning" in changes else "m1,random", **changes)
    before = databases.contents(path)
    with pytest.raises(error, match=message) as caught:
        resume(path, **growth)
    assert "\n" not in str(caught.value)
    assert databases.contents(path) == before
