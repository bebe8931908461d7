"""Whole tournaments: what is recorded, what the seed decides, and what a resumption plays."""

from __future__ import annotations

import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import pytest

import arena
from arena.checkers.game import DrawRules
from arena.errors import ArenaError, StoreError, TournamentStopped, UnknownName, UsageError
from arena.formats import Knockout, swiss
from arena.formats.draw import Draw
from arena.plugins import registry, specs
from arena.statistics.sprt import SPRT
from arena.store import Store
from arena.tournament.plan import Plan
from arena.tournament.replay import verify
from arena.tournament.runner import resume, run
from arena.tournament.sequential import Sequential, replay
from arena.tournament.settings import TournamentSettings, stored_settings
from arena.workers import system
from databases import contents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from arena.tournament.tally import Progress

pytestmark = pytest.mark.usefixtures("notes", "no_processes_left")

SETTINGS = TournamentSettings(seed=3, games=6)


class StoppedError(Exception):
    """The tournament was stopped."""


def stop_after(games: int) -> Callable[[Progress], None]:
    def progress(now: Progress) -> None:
        if now.played == games:
            raise StoppedError

    return progress


def tournament(path: Path, players: str = "steady,reckless,mutates", **changes: Any) -> Path:
    with Store.open(path) as store:
        options = {key: changes.pop(key) for key in ("workers", "progress") if key in changes}
        name = changes.pop("name", "test")
        plan = Plan(replace(SETTINGS, **changes), specs.parse_list("player", players))
        run(name, plan, store, **{"workers": 2, **options})
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, notes: Path) -> Path:  # noqa: ARG001 (installs the players)
    """The database of a tournament that was not interrupted."""
    return tournament(tmp_path_factory.mktemp("whole") / "arena.sqlite")


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


@pytest.mark.parametrize("games", [1, 10])
def test_resume_plays_only_missing_games_and_gives_the_same_database(whole: Path, tmp_path: Path, games: int) -> None:
    path = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, progress=stop_after(games))
    seen: list[Progress] = []
    with Store.open(path) as store:
        assert len(store.finished(1)) == games
        resume("last", store, workers=2, progress=seen.append)
    assert contents(path) == contents(whole)
    assert [now.done for now in seen] == list(range(games, 19))
    assert [now.played for now in seen] == list(range(19 - games))
    assert {now.total for now in seen} == {18}
    assert seen[0].record is None
    assert all(now.record for now in islice(seen, 1, None))


def test_the_players_of_a_stopped_tournament_are_rated(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        tournament(tmp_path / "stopped.sqlite", progress=stop_after(13))  # of 6 games for each of 3 pairings
    assert len(contents(tmp_path / "stopped.sqlite")["ratings"]) == 3


def test_resume_uses_the_recorded_settings(tmp_path: Path) -> None:
    rules = DrawRules(repetitions=2, quiet_plies=10, ply_cap=30)
    path = tmp_path / "rules.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, rules=rules, move_timeout=20.0, progress=stop_after(1))
    with Store.open(path) as store:
        settings = resume("test", store, workers=1).settings
        assert settings["rules"] == {"repetitions": 2, "quiet_plies": 10, "ply_cap": 30}
        assert (settings["games"], settings["openings"], settings["move_timeout"]) == (6, "3move", 20.0)
    with sqlite3.connect(path) as connection:
        assert connection.execute("select max(plies) from games").fetchone()[0] <= 30
    connection.close()


def test_tables_end_games_of_a_tournament_and_of_its_resumption(whole: Path, tmp_path: Path) -> None:
    adjudicated = tournament(tmp_path / "tables.sqlite", adjudicate="tables")
    stopped = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(stopped, adjudicate="tables", progress=stop_after(1))
    with Store.open(stopped) as store:
        assert stored_settings(resume("last", store, workers=1)).tables == 4
    assert contents(stopped) == contents(adjudicated)
    with Store.open(whole) as store:
        assert stored_settings(store.tournament("last")).tables is None
    assert any("tables" in game for game in contents(adjudicated)["games"])
    assert not any("tables" in game for game in contents(whole)["games"])


def test_agreed_scores_end_games_of_a_tournament_and_of_its_resumption(tmp_path: Path) -> None:
    players = "m1,minimax:depth=2"
    scores: dict[str, Any] = {"adjudicate": "scores:1:plies=4", "scores": {"minimax": 10.0}}
    path = tournament(tmp_path / "whole.sqlite", players, **scores)
    stopped = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(stopped, players, **scores, progress=stop_after(1))
    with Store.open(stopped) as store:
        settings = resume("last", store, workers=1).settings
    assert {name: settings[name] for name in scores} == scores
    assert contents(stopped) == contents(path)
    with arena.Results(path) as results:
        games, positions = results.games("last"), results.positions("last", ["game", "side", "score"])
        thresholds = {"m1": 1.0, "minimax:depth=2": 10.0}
        agreed = games[games.termination == "scores"].to_dict("records")
        assert len(agreed) > 1
        for game in agreed:
            last = positions[positions.game == game["game"]].iloc[-5:-1].to_dict("records")
            assert all(abs(ply["score"]) >= thresholds[game[ply["side"]]] for ply in last)
            ahead = {
                game[ply["side"]] == game["winner"] if ply["score"] > 0 else game[ply["side"]] != game["winner"]
                for ply in last
            }
            assert ahead == {True}
        found = verify(results, results.tournament("last"), results.game(agreed[0]["game"]))
    assert (found.difference, found.replayed.termination) == (None, "scores")


def test_resume_refuses_a_changed_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, progress=stop_after(1))
    newer = tmp_path / "newer"
    shutil.copytree(Path(__file__).parent / "plugins", newer)
    metadata = newer / "arena_faulty-1.0.dist-info/METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    before = contents(path)
    with monkeypatch.context() as patch, Store.open(path) as store:
        patch.syspath_prepend(newer)
        registry.load.cache_clear()
        with pytest.raises(
            UsageError,
            match=r"steady has changed \(version: arena-faulty 1.0 then, .* 1.1 now\); .* --spec",
        ):
            resume("last", store)
    registry.load.cache_clear()
    assert contents(path) == before


def test_a_tournament_recorded_before_an_option_existed_resumes_with_its_default(tmp_path: Path) -> None:
    path = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, "m1,minimax:depth=1", progress=stop_after(1))
    refused = pytest.raises(UsageError, match=r"has changed \(depth: None then, 1 now")
    for option, end in (("quiescence", StoppedError), ("evaluator mobility", StoppedError), ("depth", None)):
        with closing(sqlite3.connect(path)) as connection:
            query = "update tournaments set settings = json_remove(settings, ?)"
            connection.execute(query, (f'$.players[1]."{option}"',))
            connection.commit()
        with Store.open(path) as store:
            with refused if end is None else pytest.raises(end):
                resume("test", store, workers=1, progress=stop_after(1))
            assert store.tournament("test").changes == ()


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


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_tournament_interrupted_or_killed_and_resumed_gives_the_same_database(
    whole: Path, tmp_path: Path, ending: int
) -> None:
    path = tmp_path / "arena.sqlite"
    script = f"""
        import sys
        sys.path[:0] = {sys.path!r}
        from arena.plugins import specs
        from arena.store import Store
        from arena.tournament.plan import Plan
        from arena.tournament.settings import TournamentSettings
        from arena.tournament.runner import run
        with Store.open({str(path)!r}) as store:
            players = specs.parse_list("player", "steady,reckless,mutates")
            settings = TournamentSettings(seed=3, games=6)
            run("test", Plan(settings, players), store, workers=2, progress=lambda now: print(now.played, flush=True))
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as arena:
        assert arena.stdout is not None
        assert arena.stderr is not None
        for line in arena.stdout:
            if line == "7\n":
                arena.send_signal(ending)
        if ending == signal.SIGINT:
            assert re.search(r"KeyboardInterrupt\s*$", arena.stderr.read())
    with Store.open(path) as store:
        if ending == signal.SIGINT:
            assert len(store.finished(1)) >= 7
        resume("last", store, workers=2)
    assert contents(path) == contents(whole)


@pytest.mark.skipif(not system.FORKS, reason="there is no way to find the processes here")
def test_processes_killed_at_random_change_nothing(tmp_path: Path) -> None:
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


def numbers(path: Path) -> dict[int, int]:
    """The numbers of the recorded games by id."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("select game, number from v_games"))


def test_games_are_numbered_by_stage_pairing_and_round(tmp_path: Path) -> None:
    players = "steady,reckless,mutates,m1"
    path = tournament(tmp_path / "x.sqlite", players, format="knockout", games=4)
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("select pairing, round from v_games order by number").fetchall()
    # In the first stage, the first player of the list meets the last one, and the second meets the third.
    pairings = [found[place][0] for place in (0, 4, 8)]
    assert found == [(pairing, number) for pairing in pairings for number in range(4)]
    assert pairings[:2] == ["m1 vs steady", "mutates vs reckless"]


def planned(path: Path) -> tuple[int, int | None]:
    """The numbers of recorded and of planned games."""
    with closing(sqlite3.connect(path)) as connection:
        [row] = connection.execute("select games, planned from v_tournaments").fetchall()
    return row[0], row[1]


def test_the_number_of_planned_games_is_recorded_before_the_first_game(whole: Path, tmp_path: Path) -> None:
    assert planned(whole) == (18, 18)
    with pytest.raises(StoppedError):
        tournament(tmp_path / "stopped.sqlite", progress=stop_after(5))
    assert planned(tmp_path / "stopped.sqlite") == (5, 18)


def test_resume_records_planned_games_and_numbers_for_a_tournament_of_an_earlier_version(
    whole: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(whole, tmp_path))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("update tournaments set planned = null")
        connection.execute("delete from pairings")
        connection.commit()
    with Store.open(path) as store:
        resume("test", store)
    assert contents(path) == contents(whole)


@pytest.mark.parametrize(("form", "meetings"), [("gauntlet", 3), ("swiss", 6), ("knockout", 3)])
def test_a_resumed_tournament_of_any_format_gives_the_same_database(form: str, meetings: int, tmp_path: Path) -> None:
    players = "steady,reckless,mutates,m1"
    undisturbed = tournament(tmp_path / "whole.sqlite", players, format=form, games=4, workers=1)
    with sqlite3.connect(undisturbed) as connection:
        assert connection.execute("select count(*) from games").fetchone() == (4 * meetings,)
    connection.close()
    path = tmp_path / "stopped.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, players, format=form, games=4, progress=stop_after(5))
    assert numbers(path).items() < numbers(undisturbed).items()
    assert sorted(numbers(undisturbed).values()) == list(range(1, 4 * meetings + 1))
    for games in (3, None):
        with Store.open(path) as store:
            if games:
                with pytest.raises(StoppedError):
                    resume("test", store, workers=1, progress=stop_after(games))
            else:
                resume("test", store, workers=2)
    assert contents(path) == contents(undisturbed)


class OtherDraw(Draw):
    """A draw that pairs the players in reverse order."""

    def round(self, points: Sequence[int]) -> list[tuple[int, int]]:
        return super().round([place**2 for place in range(len(points))][:: 1 if any(points) else -1])


def test_a_tournament_that_ends_with_too_few_games_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knockout, "meetings", lambda _, players: players)
    path = tmp_path / "arena.sqlite"
    with pytest.raises(TournamentStopped, match=r"ended with 4 games on record, but 6 were planned"):
        tournament(path, format="knockout", games=2)
    assert len(contents(path)["games"]) == 4
    assert contents(path)["ratings"]


def test_resume_refuses_a_tournament_paired_by_other_rules_and_keeps_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    players, changes = "steady,reckless,mutates,m1,uses-random,moody", {"format": "swiss", "games": 2}
    stopped, whole = tmp_path / "stopped.sqlite", tmp_path / "whole.sqlite"
    with monkeypatch.context() as patch:
        patch.setattr(swiss, "Draw", OtherDraw)
        tournament(whole, players, **changes)
        with pytest.raises(StoppedError):
            tournament(stopped, players, progress=stop_after(9), **changes)
    before = contents(stopped)
    with Store.open(stopped) as store, pytest.raises(UsageError, match=r"by other rules \(.* vs .* its 9 games stay"):
        resume("test", store)
    assert contents(stopped) == before
    before = contents(whole)
    with Store.open(whole) as store:
        resume("test", store)
    assert contents(whole) == before


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


def test_memory_is_limited_in_a_tournament_and_in_its_resumption(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"
    with pytest.raises(StoppedError):
        tournament(path, "steady,leaks-at-once", memory=100, games=4, progress=stop_after(1))
    with Store.open(path) as store:
        assert resume("last", store).settings["memory"] == 100
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT DISTINCT termination, forfeited_by, reason FROM games").fetchall()
    connection.close()
    assert {(termination, reason) for termination, _, reason in found} == {
        ("memory", "took more than 100 MB of memory")
    }


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


def test_resume_refuses_changed_openings(tmp_path: Path) -> None:
    book = tmp_path / "book.fen"
    book.write_text("B:W21,22,K30:B1,2,K3\nW:W31,32:B1,2\n")
    with pytest.raises(StoppedError):
        tournament(
            tmp_path / "arena.sqlite", "steady,m1", games=4, openings=f"file:path={book}", progress=stop_after(1)
        )
    book.write_text("B:W21,22,K30:B1,2,K4\nW:W31,32:B1,2\n")
    with (
        Store.open(tmp_path / "arena.sqlite") as store,
        pytest.raises(UsageError, match=r"openings of .* have changed"),
    ):
        resume("test", store)
