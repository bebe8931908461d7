"""Whole tournaments: what is recorded, and what the seed decides."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import pytest

import arena
from arena.errors import ArenaError, StoreError, TournamentStopped, UnknownName, UsageError
from arena.formats import Knockout
from arena.statistics.sprt import SPRT
from arena.store import Store
from arena.tournament.runner import resume
from arena.tournament.sequential import Sequential, replay
from arena.tournament.settings import TournamentSettings
from arena.workers import system
from databases import contents
from launchers import SHARED
from tournaments import StoppedError, planned, stop_after, tournament

if TYPE_CHECKING:
    from pathlib import Path

    from arena.tournament.tally import Progress

pytestmark = pytest.mark.usefixtures("notes", "shared_launcher")


def test_every_pairing_plays_its_games_with_both_colours(whole: Path) -> None:
    with Store.open(whole) as store:
        stored = store.tournament("last")
        assert [player.spec for player in stored.players] == ["steady", "reckless", "mutates"]
        pairings = ["mutates vs reckless", "mutates vs steady", "reckless vs steady"]
        assert store.finished(stored.id) == {(pairing, round) for pairing in pairings for round in range(6)}
        games = store.rated_games(stored.id)
    for pairing in pairings:
        first, _, second = pairing.partition(" vs ")
        colours = [(game.black, game.white) for game in games if {game.black, game.white} == {first, second}]
        assert colours == [(first, second), (second, first)] * 3


def test_ratings_are_saved(whole: Path) -> None:
    ratings = contents(whole)["ratings"]
    assert len(ratings) == 3
    assert all("davidson" in row for row in ratings)


def test_the_number_of_workers_does_not_change_the_database(whole: Path, tmp_path: Path) -> None:
    assert contents(tournament(tmp_path / "one.sqlite", workers=1)) == contents(whole)


def test_another_seed_gives_other_games(whole: Path, tmp_path: Path) -> None:
    assert contents(tournament(tmp_path / "other.sqlite", seed=4))["games"] != contents(whole)["games"]


def test_another_player_changes_no_game_of_the_others(whole: Path, tmp_path: Path) -> None:
    path = tournament(tmp_path / "two.sqlite", players="reckless,steady")
    with Store.open(whole) as store:
        expected = [game for game in store.rated_games(1) if {game.black, game.white} == {"reckless", "steady"}]
    with Store.open(path) as store:
        assert store.rated_games(1) == expected


def test_forfeits_do_not_stop_a_tournament(tmp_path: Path) -> None:
    path = tournament(tmp_path / "arena.sqlite", players="raises-in-choose,steady,reckless")
    games = contents(path)["games"]
    assert len(games) == 18
    assert sum("exception" in game for game in games) == 12


def test_a_tournament_stops_if_the_first_fifty_games_are_forfeits(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with pytest.raises(
        TournamentStopped,
        match=r"first 50 games were all forfeits; 50 of them: raises-in-constructor, .*not even born",
    ):
        tournament(path, players="raises-in-constructor,steady", games=80)
    assert len(contents(path)["games"]) == 50


def test_a_tournament_continues_if_one_of_fifty_games_is_not_a_forfeit(tmp_path: Path) -> None:
    path = tournament(tmp_path / "arena.sqlite", players="raises-in-constructor,steady,reckless", games=20)
    assert len(contents(path)["games"]) == 60


BAD: list[tuple[str, dict[str, Any], type[ArenaError], str]] = [
    ("steady", {}, UsageError, "at least two players"),
    ("steady,steady", {}, UsageError, "steady is named twice"),
    ("steady,reckless", {"games": 7}, UsageError, "even number"),
    ("steady,reckless", {"games": 314}, UsageError, "312"),
    ("steady,reckless", {"openings": "4move"}, UnknownName, "3move"),
    ("steady,reckless", {"ratings": ("davison",)}, UnknownName, "davidson"),
    ("steady,reckless", {"move_timeout": 0.0}, UsageError, "move-timeout is a number, more than 0, not 0.0"),
    ("steady,reckless", {"memory": 0}, UsageError, "memory is a whole number, 1 or more, not 0"),
    ("steady,reckless", {"adjudicate": "tables:7"}, UsageError, "tables:2 to tables:6"),
    (
        "steady,reckless",
        {"adjudicate": "scores:1", "scores": {"lms": 1.0}},
        UsageError,
        "'lms', which does not play",
    ),
    ("steady,reckless", {"workers": 0}, UsageError, "at least one worker"),
    ("steady,reckless", {"name": "last"}, StoreError, "last"),
]


@pytest.mark.parametrize(("players", "changes", "error", "message"), BAD, ids=str)
def test_a_refused_tournament_leaves_no_file(
    tmp_path: Path, players: str, changes: dict[str, Any], error: type[ArenaError], message: str
) -> None:
    with pytest.raises(error, match=message):
        tournament(tmp_path / "arena.sqlite", players=players, **changes)
    assert list(tmp_path.iterdir()) == []


def test_the_default_seed_is_random() -> None:
    assert 0 <= TournamentSettings().seed < 2**63
    assert TournamentSettings().seed != TournamentSettings().seed


@pytest.mark.long
@pytest.mark.skipif(not system.FORKS, reason="there is no way to find the processes here")
def test_processes_killed_at_random_change_nothing(tmp_path: Path) -> None:
    SHARED.close()
    chance = random.Random(5)
    killed = []

    def kill(now: Progress) -> None:
        victims = psutil.Process().children(recursive=True)
        if now.played % 4 == 3 and victims:
            killed.append(chance.choice(victims))
            with suppress(psutil.Error):
                killed[-1].kill()

    players = "steady,uses-random,m1,raises-in-choose,exits,moody"
    undisturbed = tournament(tmp_path / "undisturbed.sqlite", players, games=4)
    assert contents(tournament(tmp_path / "arena.sqlite", players, games=4, progress=kill)) == contents(undisturbed)
    assert len(killed) >= 10
    with sqlite3.connect(undisturbed) as connection:
        query = "SELECT forfeited_by, count(*) FROM v_games WHERE forfeited_by IS NOT NULL GROUP BY forfeited_by"
        blamed = dict(connection.execute(query))
    connection.close()
    assert blamed["raises-in-choose"] + blamed["exits"] >= 36
    assert blamed.keys() <= {"raises-in-choose", "exits", "moody"}


def test_games_are_numbered_by_stage_pairing_and_round(tmp_path: Path) -> None:
    players = "steady,reckless,mutates,m1"
    path = tournament(tmp_path / "x.sqlite", players, format="knockout", games=4)
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("select pairing, round from v_games order by number").fetchall()
    # In the first stage, the first player of the list meets the last one, and the second meets the third.
    pairings = [found[place][0] for place in (0, 4, 8)]
    assert found == [(pairing, number) for pairing in pairings for number in range(4)]
    assert pairings[:2] == ["m1 vs steady", "mutates vs reckless"]


def test_the_number_of_planned_games_is_recorded_before_the_first_game(whole: Path, tmp_path: Path) -> None:
    assert planned(whole) == (18, 18)
    with pytest.raises(StoppedError):
        tournament(tmp_path / "stopped.sqlite", progress=stop_after(5))
    assert planned(tmp_path / "stopped.sqlite") == (5, 18)


def test_a_tournament_that_ends_with_too_few_games_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knockout, "meetings", lambda _, players: players)
    path = tmp_path / "arena.sqlite"
    with pytest.raises(TournamentStopped, match=r"ended with 4 games on record, but 6 were planned"):
        tournament(path, format="knockout", games=2)
    assert len(contents(path)["games"]) == 4
    assert contents(path)["ratings"]


def test_a_sequential_test_ends_a_match_at_the_same_game_for_any_workers_and_interruptions(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"games": 200, "openings": "11man", "sprt": "0,100"}
    paths = [tournament(tmp_path / f"{n}.sqlite", "m1,steady", workers=n, **changes) for n in (1, 2)]
    assert contents(paths[0]) == contents(paths[1])
    stopped = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(stopped, "m1,steady", progress=stop_after(7), **changes)
    assert planned(stopped) == (7, 200)
    with Store.open(stopped) as store:
        resume("test", store)
        resume("test", store)
        points = store.points(1, "m1")
    assert contents(stopped) == contents(paths[0])
    assert sorted(points) == list(range(len(points)))
    assert planned(stopped) == (len(points), len(points))
    result = Sequential(SPRT(0, 100), "m1")
    replay(result, {number: points[number] for number in range(len(points) - 2)})
    assert result.verdict == "open"
    result.add(len(points) - 2, points[len(points) - 2])
    result.add(len(points) - 1, points[len(points) - 1])
    assert result.verdict == "H1"


def test_max_forfeits_stops_a_tournament(tmp_path: Path) -> None:
    with pytest.raises(TournamentStopped, match=r"more than 30%.*raises-in-choose"):
        tournament(tmp_path / "arena.sqlite", "steady,raises-in-choose,mutates", games=40, max_forfeits=0.3)
    with Store.open(tmp_path / "arena.sqlite") as store:
        assert len(store.finished(1)) >= 20


def test_weights_that_change_during_a_tournament_are_an_error(tmp_path: Path) -> None:
    weights, other = tmp_path / "lms.safetensors", tmp_path / "other.safetensors"
    arena.Model("lms", {"weights": np.array([0.0, 1, -1, 1, -1, 0, 0])}).save(weights, {})
    arena.Model("lms", {"weights": np.array([0.0, 2, -1, 1, -1, 0, 0])}).save(other, {})

    def learn(now: Progress) -> None:
        if now.done == now.total:
            shutil.copy(other, weights)

    with pytest.raises(TournamentStopped, match=r"a player changed during the tournament: lms.* \(weights: "):
        tournament(tmp_path / "arena.sqlite", f"steady,lms:weights={weights}", progress=learn)
    with Store.open(tmp_path / "arena.sqlite") as store:
        assert len(store.finished(1)) == 6
