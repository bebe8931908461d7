"""Resumed tournaments have the same database as uninterrupted ones, and changed players and settings are refused."""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import arena
from arena.checkers.game import DrawRules
from arena.errors import UsageError
from arena.formats import swiss
from arena.formats.draw import Draw
from arena.plugins import registry
from arena.store import Store
from arena.tournament.replay import verify
from arena.tournament.runner import resume
from arena.tournament.settings import stored_settings
from databases import contents
from tournaments import StoppedError, stop_after, tournament

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.tournament.tally import Progress

pytestmark = pytest.mark.usefixtures("notes", "shared_launcher")


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


def numbers(path: Path) -> dict[int, int]:
    """The numbers of the recorded games by id."""
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("select game, number from v_games"))


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
