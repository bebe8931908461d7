"""``arena tournament`` and ``arena results``, end to end on a real database file."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from scipy.stats import binomtest

import arena
from arena.cli.tournament import naming
from databases import contents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

MAIN = ("tournament", "--players", "lms,td,minimax", "--games", "4", "--seed", "11")


def test_a_tournament_is_played_recorded_and_reported(run: Run, tmp_path: Path) -> None:
    done = run(*MAIN)
    assert done.returncode == 0, done.stderr
    assert "tournament 't1', seed 11: 12 games, 0 of them on record" in done.stderr
    assert "standings" in done.stdout
    assert "head to head" in done.stdout
    assert "arena.Results('results/arena.sqlite').standings('t1')" in done.stdout

    with sqlite3.connect(tmp_path / "results" / "arena.sqlite") as connection:
        games = pd.read_sql("SELECT * FROM v_games", connection)
        view = pd.read_sql("SELECT * FROM v_standings ORDER BY rank, player", connection)
    connection.close()
    assert len(games) == 12
    assert games.groupby("pairing").size().tolist() == [4, 4, 4]
    for row in view.to_dict("records"):
        mine = games[(games.black == row["player"]) | (games.white == row["player"])]
        wins, draws = (mine.winner == row["player"]).sum(), (mine.result == "1/2-1/2").sum()
        assert (row["games"], row["wins"], row["draws"]) == (8, wins, draws)
        assert row["losses"] == 8 - wins - draws
        interval = binomtest(int(wins), 8).proportion_ci(method="wilson")
        assert (row["win_low"], row["win_high"]) == pytest.approx((100 * interval.low, 100 * interval.high))
        assert row["score_pct"] == pytest.approx(100 * (wins + draws / 2) / 8)
        assert f"{row['score_pct']:.1f}" in done.stdout
    with arena.Results(tmp_path / "results" / "arena.sqlite") as results:
        pd.testing.assert_frame_equal(results.standings("t1")[["player", "wins"]], view[["player", "wins"]])


def test_every_game_can_be_replayed_from_its_record(run: Run, tmp_path: Path) -> None:
    from arena.checkers.notation import parse_move

    assert run("tournament", "--players", "minimax:depth=2,random", "--games", "6", "--db", "x.sqlite").returncode == 0
    with arena.Results(tmp_path / "x.sqlite") as results:
        games, positions = results.games("last"), results.positions("last")
    openings = games.groupby("round").opening.first().tolist()
    assert openings[0::2] == openings[1::2]
    assert len(set(openings)) == 3
    for record in games.to_dict("records"):
        game = arena.Game()
        for text in record["moves"].split():
            game.play(parse_move(game.board, text))
        rows = positions[positions.game == record["game"]]
        assert rows.fen.tolist() == [board.fen for board in game.boards]
        assert game.outcome is not None
        assert (game.outcome.result, str(game.outcome.termination)) == (record["result"], record["termination"])
        assert record["moves"].startswith(record["opening"])
    halves = games.sort_values("round")
    assert (halves.black.iloc[0::2].to_numpy() == halves.white.iloc[1::2].to_numpy()).all()


def content(path: Path) -> list[pd.DataFrame]:
    """Return all records of a database without times. They must be equal for two tournaments of one seed."""
    with arena.Results(path) as results:
        games = results.games().sort_values(["pairing", "round"]).reset_index(drop=True)
        positions = results.positions().sort_values(["game", "ply"]).reset_index(drop=True).drop(columns="seconds")
        return [games, positions, results.standings(), results.ratings(), results.head_to_head()]


def test_the_same_seed_makes_the_same_database_for_any_number_of_workers(run: Run, tmp_path: Path) -> None:
    for workers in ("1", "2"):
        words = ("--players", "lms,td:depth=1,random", "--games", "6", "--seed", "3", "--name", "same")
        assert run("tournament", *words, "--workers", workers, "--db", f"{workers}.sqlite").returncode == 0
    for one, two in zip(content(tmp_path / "1.sqlite"), content(tmp_path / "2.sqlite"), strict=True):
        pd.testing.assert_frame_equal(one, two)


def test_results_prints_a_tournament_again(run: Run) -> None:
    report = run(*MAIN, "--name", "mine").stdout
    run("tournament", "--players", "random,lms", "--games", "2")
    assert run("results", "--tournament", "mine").stdout == report
    assert run("results", "--tournament", "1").stdout == report
    standings = json.loads(run("results", "standings", "--tournament", "mine", "--json").stdout)
    assert [row["rank"] for row in standings] == sorted(row["rank"] for row in standings)
    assert {row["player"] for row in standings} == {"lms", "td", "minimax"}
    lines = run("results", "games", "--tournament", "all", "--csv").stdout.splitlines()
    assert lines[0].startswith("game,name,tournament,pairing,round,opening,black,white,result,winner")
    assert len(lines) == 1 + 12 + 2
    names = json.loads(run("results", "tournaments", "--json").stdout)
    assert [row["name"] for row in names] == ["mine", "t2"]
    for kind in ("head-to-head", "positions", "ratings"):
        assert json.loads(run("results", kind, "--json").stdout)


def test_ctrl_c_keeps_finished_games_and_resume_plays_the_others(run: Run, tmp_path: Path) -> None:
    words = ("--players", "minimax:depth=7,td", "--games", "60", "--seed", "5", "--name", "stopped")
    command = [sys.executable, "-m", "arena.cli", "tournament", *words, "--db", "stopped.sqlite"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and count(tmp_path / "stopped.sqlite") < 1:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "arena tournament --resume stopped --db stopped.sqlite" in errors
    before = count(tmp_path / "stopped.sqlite")
    assert 0 < before < 60
    resumed = run("tournament", "--resume", "last", "--db", "stopped.sqlite")
    assert resumed.returncode == 0, resumed.stderr
    assert count(tmp_path / "stopped.sqlite") == 60
    assert run("tournament", *words, "--db", "whole.sqlite").returncode == 0
    for one, two in zip(content(tmp_path / "stopped.sqlite"), content(tmp_path / "whole.sqlite"), strict=True):
        pd.testing.assert_frame_equal(one, two)


def test_a_tournament_gets_more_players_and_games(run: Run, tmp_path: Path) -> None:
    words = ("--games", "2", "--seed", "5", "--name", "cup", "--db", "cup.sqlite")
    assert run("tournament", "--players", "random,m1", *words).returncode == 0
    resume = ("tournament", "--resume", "cup", "--db", "cup.sqlite")
    grown = run(*resume, "--add", "m2,minimax:depth=1", "--add", "lms", "--games", "4")
    assert grown.returncode == 0, grown.stderr
    assert "'cup' grows from 2 to 40 games: 38 are still to play" in grown.stderr
    assert "tournament 'cup', seed 5: 40 games, 2 of them on record" in grown.stderr
    players = "random,m1,m2,minimax:depth=1,lms"
    whole = ("--games", "4", "--seed", "5", "--name", "cup", "--db", "whole.sqlite")
    assert run("tournament", "--players", players, *whole).returncode == 0
    frames = [content(tmp_path / name) for name in ("cup.sqlite", "whole.sqlite")]
    for one, two in zip(*frames, strict=True):
        named = ["name"] if "name" in one else []  # numbers of games depend on when they were planned
        pd.testing.assert_frame_equal(one.drop(columns=named), two.drop(columns=named))
    refused = run(*resume, "--add", "m2")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "m2 already plays in 'cup'" in refused.stderr
    assert count(tmp_path / "cup.sqlite") == 40


def test_a_full_disk_is_a_one_line_error_with_the_command_that_resumes(run: Run, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")

    def no_file_beyond_700_kilobytes() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (700_000, resource.RLIM_INFINITY))

    words = ("--players", "random,m1", "--games", "300", "--db", "x.sqlite", "--name", "big")
    command = [sys.executable, "-m", "arena.cli", "tournament", *words]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=no_file_beyond_700_kilobytes
    )
    assert done.returncode == 1
    *_, held, how, line = done.stderr.splitlines()
    assert held == "earlier games are on record; to play the others:"
    assert how == "    arena tournament --resume big --db x.sqlite"
    assert line == "arena: x.sqlite cannot be read or written: the disk is full, gone or failing"
    assert 0 < count(tmp_path / "x.sqlite") < 300
    assert run(*how.split()[1:]).returncode == 0
    assert count(tmp_path / "x.sqlite") == 300


def count(path: Path) -> int:
    """Games on record."""
    try:
        with arena.Results(path) as results:
            return len(results.games())
    except arena.ArenaError:
        return 0


def test_a_seed_is_drawn_printed_and_stored(run: Run, tmp_path: Path) -> None:
    done = run("tournament", "--players", "random,lms", "--games", "2")
    seed = int(done.stderr.split("seed ")[1].split(":")[0])
    with arena.Results(tmp_path / "results" / "arena.sqlite") as results:
        assert results.tournaments().seed.tolist() == [seed]


def test_specs_and_names_are_printed_as_they_are(run: Run) -> None:
    one, two = (f"minimax:depth=1:evaluator=[heuristic:mobility={number}]" for number in (1, 2))
    done = run("tournament", "--players", f"{one},{two}", "--games", "2", "--name", "[/a] :smile:")
    assert done.returncode == 0, done.stderr
    for text in (one, two, "[/a] :smile:"):
        assert text in done.stdout


def test_the_report_of_a_tournament_without_games_says_so(run: Run, tmp_path: Path) -> None:
    from arena.store import Store

    with Store.open(tmp_path / "x.sqlite") as store:
        store.create_tournament("early", 1, {}, [])
    assert (
        "No game of tournament 'early' is on record"
        in run("results", "--tournament", "early", "--db", "x.sqlite").stdout
    )


def test_models_learned_in_a_tournament_can_play_in_another(run: Run, tmp_path: Path) -> None:
    done = run("tournament", "--players", "lms,random", "--games", "4", "--seed", "1", "--learning", "--db", "x.sqlite")
    assert done.returncode == 0, done.stderr
    words = done.stdout.partition("learned while playing")[2].partition("arena tournament --players ")[2].split()[:3]
    players = words[0].removesuffix(",...")
    done = run("tournament", "--players", f"{players},lms", "--games", "2", *words[1:])
    assert done.returncode == 0, done.stderr
    rows = json.loads(run("results", "learned-models", "--tournament", "t1", "--db", "x.sqlite", "--json").stdout)
    assert [(row["player"], row["round"]) for row in rows] == [("lms", number) for number in range(5)]
    assert players == rows[-1]["spec"] == f"lms:weights=@{rows[-1]['model']}"
    with arena.Results(tmp_path / "x.sqlite") as results:
        assert set(results.standings("t2")["player"]) == {players, "lms"}


def test_names_of_new_tournaments() -> None:
    taken = ["t1", "cup"]
    assert naming(None, new=False)(taken) == naming(None, new=True)(taken) == "t3"
    assert naming("cup", new=False)(taken) == "cup"
    assert naming("cup", new=True)(taken) == "cup-2"
    assert naming("league", new=True)(taken) == "league"


def test_isolated_players_play_the_same_games(run: Run, tmp_path: Path) -> None:
    for db, options in (("shared.sqlite", ()), ("isolated.sqlite", ("--isolate",))):
        done = run(*MAIN, "--db", db, *options)
        assert done.returncode == 0, done.stderr
    assert contents(tmp_path / "isolated.sqlite") == contents(tmp_path / "shared.sqlite")
    assert run("tournament", "--resume", "last", "--isolate", "--db", "shared.sqlite").returncode == 0
