"""``arena train`` and ``arena models``, end to end: runs are recorded, killed, resumed and played."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import arena
from arena.store import database
from experimenting import tiny

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]

__all__ = ["tiny"]

FEW = ("--baselines", "random", "--baseline-games", "2")
pytestmark = pytest.mark.usefixtures("tiny")


def rows(run: Run, *words: str) -> list[dict[str, Any]]:
    done = run(*words, "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def record(path: Path) -> list[pd.DataFrame]:
    """Return all records of a database without times. They must be equal for two runs of one command."""
    with arena.Results(path) as results:
        return [
            results.runs().drop(columns=["seconds", "started"]),
            results.metrics(),
            results.checkpoints().drop(columns=["seconds", "added"]),
            results.models().drop(columns="added"),
        ]


def checkpoints(path: Path) -> int:
    """Return the number of checkpoints on record."""
    try:
        with arena.Results(path) as results:
            return len(results.checkpoints())
    except arena.ArenaError:
        return 0


def stopped(folder: Path, number: int, *words: str) -> tuple[int, str]:
    """Start a run and send it a signal after its first checkpoint. Return its exit code and messages."""
    command = [sys.executable, "-m", "arena.cli", "train", *words]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and checkpoints(folder / "parts.sqlite") < 1:
            time.sleep(0.05)
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    return process.returncode, errors


def test_an_exception_of_a_learner_prints_its_traceback_and_one_line(run: Run, tmp_path: Path) -> None:
    done = run("train", "careless:games=4", "--games", "10", "--every", "2", "--seed", "1", *FEW, "--db", "d.sqlite")
    assert done.returncode == 1
    assert "4 of 10 games are on record; to continue from there:" in done.stderr
    trace = done.stderr[done.stderr.index("Traceback") :].splitlines()
    files = [line.split('"')[1] for line in trace if line.startswith("  File")]
    assert [Path(file).name for file in files] == ["arena_tiny.py"] * 2
    assert trace[-2:] == [
        "ZeroDivisionError: integer division or modulo by zero",
        "arena: the learner careless:games=4 failed: ZeroDivisionError: integer division or modulo by zero",
    ]
    assert checkpoints(tmp_path / "d.sqlite") == 2


def test_a_learner_that_ends_the_program_before_its_first_checkpoint_leaves_no_run(run: Run) -> None:
    done = run("train", "careless:exits=true", "--games", "10", "--db", "d.sqlite")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "arena: the learner careless:exits=true failed: SystemExit: enough"
    assert "to go on" not in done.stderr
    assert rows(run, "results", "runs", "--db", "d.sqlite") == []


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.long)], ids=["ctrl-c", "kill -9"]
)
def test_a_stopped_run_resumes_with_identical_results(run: Run, tmp_path: Path, number: int) -> None:
    words = ("tiny:seconds=0.02", "--games", "100", "--seed", "3", *FEW)
    code, errors = stopped(tmp_path, number, *words, "--db", "parts.sqlite")
    assert code == (130 if number == signal.SIGINT else -number)
    if number == signal.SIGINT:
        assert "of 100 games are on record; to continue from there:" in errors
        assert "arena train --resume tiny --db parts.sqlite" in errors
        assert "Traceback" not in errors
    assert 0 < checkpoints(tmp_path / "parts.sqlite") < 10
    resumed = run("train", "--resume", "last", "--db", "parts.sqlite", "-o", "parts")
    assert resumed.returncode == 0, resumed.stderr
    assert run("train", *words, "--db", "whole.sqlite", "-o", "whole").returncode == 0
    for one, other in zip(record(tmp_path / "parts.sqlite"), record(tmp_path / "whole.sqlite"), strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_output_and_files_of_a_run(run: Run, tmp_path: Path) -> None:
    done = run(
        "train", "tiny:scale=2", "--games", "30", "--seed", "4", "--every", "10", *FEW, "-o", "mine", "--name", "a.b"
    )
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert "run 'a.b': tiny:scale=2, seed 4: 30 games, 0 of them on record" in lines
    assert [line.split()[0] for line in lines if "@" in line] == ["a.b@10", "a.b@20", "a.b@30"]
    assert all(" %  number " in line for line in lines if "@" in line)
    model = arena.Model.file(tmp_path / "mine")
    assert f"weights {model.hash}" in done.stdout
    assert "recorded in results/arena.sqlite as run 'a.b', weights" in done.stdout
    assert "\n30 games, " in done.stdout
    assert model.provenance == {
        "command": "arena train tiny:scale=2 --games 30 --seed 4",
        "learner": "tiny:scale=2",
        "games": "30",
        "seed": "4",
        "start": "nothing",
        "version": "arena-tiny 1.0",
        "arena": model.provenance["arena"],
    }
    [command] = [line.partition(": ")[2] for line in done.stdout.splitlines() if line.startswith("show its metrics")]
    metrics = rows(run, *command.split()[1:])
    assert {row["metric"] for row in metrics} == {
        *("number", "error"),
        *("wins", "draws", "losses", "win_pct", "score_pct"),
    }
    assert rows(run, "results", "metrics", "--run", "all") == metrics
    assert [row["checkpoint"] for row in rows(run, "results", "checkpoints")] == ["a.b@10", "a.b@20", "a.b@30"]
    assert [row["run"] for row in rows(run, "results", "runs")] == ["a.b"]
    assert rows(run, "results", "models") == rows(run, "models")


def test_checkpoints_play_wherever_a_player_is_named(run: Run, tmp_path: Path) -> None:
    assert run("train", "tiny:depth=2", "--games", "20", "--seed", "1", *FEW, "--db", "x.sqlite").returncode == 0
    players = ("--players", "tiny@4,tiny@last:depth=5,random")
    for workers in ("1", "2"):
        done = run("tournament", *players, "--games", "2", "--seed", "1", "--workers", workers, "--db", "x.sqlite")
        assert done.returncode == 0, done.stderr
    with arena.Results(tmp_path / "x.sqlite") as results:
        one, two = (results.games(name).drop(columns=["tournament", "name"]) for name in ("t1", "t2"))
        assert set(results.standings("t1").player) == {"tiny@4", "tiny@20:depth=5", "random"}
        models = results.checkpoints().set_index("checkpoint").model
    pd.testing.assert_frame_equal(one, two)
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        stored = dict(connection.execute("SELECT spec, weights FROM players WHERE weights IS NOT NULL"))
        assert stored == {"tiny@4": models["tiny@4"], "tiny@20:depth=5": models["tiny@20"]}
        connection.execute("DELETE FROM games WHERE tournament_id = 1 AND round = 1")
        connection.commit()
    assert run("tournament", "--resume", "t1", "--db", "x.sqlite").returncode == 0
    with arena.Results(tmp_path / "x.sqlite") as results:
        pd.testing.assert_frame_equal(results.games("t1").drop(columns=["tournament", "name"]), two)
    won = run("play", "--against", "tiny@4", "--fen", "B:W1:B9", "--as", "white", "--db", "x.sqlite")
    assert "Black (tiny@4) plays 9-" in won.stdout


def test_learning_from_opponents_and_from_recorded_games(run: Run, tmp_path: Path) -> None:
    (tmp_path / "games.pdn").write_text('[Result "1-0"]\n1. 11-15 23-18 2. 8-11 1-0\n\n[Result "0-1"]\n1. 11-14 0-1\n')
    done = run("train", "tiny", "--seed", "1", "--from", "games.pdn", *FEW)
    assert done.returncode == 0, done.stderr
    assert "left out: games.pdn: game 2, line 5" in done.stderr
    assert "tiny@1 " in done.stderr
    done = run("train", "tiny:start=tiny@last", "--seed", "1", "--games", "4", "--against", "past,tiny@last", *FEW)
    assert done.returncode == 0, done.stderr
    shown = run("models", "show", "tiny-2@last").stdout
    assert "command: arena train tiny:start=tiny@1 --games 4 --seed 1 --against past,tiny@1 --every 1" in shown
    assert "used: checkpoint tiny@1, run tiny-2 (tiny:start=tiny@1)" in run("models", "show", "tiny@1").stdout


def test_games_in_an_older_database_are_learned_from(run: Run, tmp_path: Path) -> None:
    migrations = tmp_path / "past"
    shutil.copytree(database.MIGRATIONS, migrations)
    for file in (migrations / "versions").glob("[0-9]*.py"):
        if file.name[:4] > "0002":
            file.unlink()
    (tmp_path / "games.pdn").write_text('[Result "1-0"]\n1. 11-15 23-18 2. 8-11 1-0\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "MIGRATIONS", migrations)
        assert run("import", "games.pdn", "--collection", "club").returncode == 0
    done = run("train", "tiny", "--seed", "1", "--from", "club", *FEW)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results" / "arena.sqlite.bak-0002").exists()


def test_models_are_exported_and_imported(run: Run, tmp_path: Path) -> None:
    assert run("train", "tiny", "--games", "4", "--every", "2", "--seed", "1", *FEW, "-o", "mine").returncode == 0
    [one, two] = rows(run, "models")
    assert [one["made_by"], two["made_by"]] == ["tiny@2", "tiny@4"]
    assert run("models", "export", "tiny@last", "theirs").returncode == 0
    assert (tmp_path / "theirs").read_bytes() == (tmp_path / "mine").read_bytes()
    again = run("models", "export", one["hash"][:8], "mine")
    assert (again.returncode, again.stderr) == (1, "arena: mine exists already; name another file\n")
    taken = run("models", "import", "mine", "--db", "y.sqlite")
    assert taken.stdout == f"recorded in y.sqlite: weights of kind tiny, @{two['hash']}\n"
    assert "already recorded" in run("models", "import", "theirs", "--db", "y.sqlite").stdout
    [imported] = rows(run, "models", "--db", "y.sqlite")
    assert (imported["hash"], imported["made_by"]) == (two["hash"], None)
    of_file, stored = (
        run("models", "show", "mine").stdout,
        run("models", "show", two["hash"], "--db", "y.sqlite").stdout,
    )
    assert run("models", "--db", "y.sqlite", "show", two["hash"][:6]).stdout == stored
    assert stored == f"{of_file}used: nowhere on record\n"
    assert "command: arena train tiny --games 4 --seed 1" in stored
    assert "number  float64  1" in stored
    players = f"@{two['hash'][:8]},tiny:weights=@{two['hash']}:depth=2"
    done = run("tournament", "--players", players, "--games", "2", "--db", "y.sqlite")
    assert done.returncode == 0, done.stderr
    assert f"@{two['hash']}" in done.stdout


def test_a_resumed_run_can_be_extended_but_not_changed(run: Run) -> None:
    assert run("train", "tiny", "--games", "4", "--seed", "1", *FEW).returncode == 0
    refused = run("train", "--resume", "tiny", "--every", "3")
    assert (refused.returncode, refused.stderr) == (
        2,
        "arena: --every cannot be changed by --resume; start a new run\n",
    )
    refused = run("train", "--resume", "tiny", "--games", "3")
    assert (refused.returncode, refused.stderr) == (
        2,
        "arena: the run 'tiny' has 4 games: it can have more, not 3\n",
    )
    assert run("train", "--resume", "tiny", "--games", "6").returncode == 0
    assert [row["games"] for row in rows(run, "results", "checkpoints")] == [1, 2, 3, 4, 5, 6]


def test_learning_that_cannot_start_is_a_one_line_error(run: Run) -> None:
    done = run("train", "tiny:breaks=3", "--games", "4", "--seed", "1", *FEW)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("arena: tiny:breaks=3 reports error = nan after 3 games")
    assert rows(run, "results", "runs")[0]["learned"] == 2


def test_a_run_with_openings_is_recorded_and_resumes_with_identical_results(run: Run, tmp_path: Path) -> None:
    words = ("train", "lms", "--seed", "3", "--every", "10", "--openings", "3move", *FEW)
    for name, first, resumed in (("whole", "40", ()), ("parts", "20", ("--games", "40"))):
        assert run(*words, "--games", first, "--db", f"{name}.sqlite").returncode == 0
        if resumed:
            done = run("train", "--resume", "last", *resumed, "--db", f"{name}.sqlite", "-o", "mine")
            assert done.returncode == 0, done.stderr
    whole, parts = (record(tmp_path / f"{name}.sqlite") for name in ("whole", "parts"))
    for one, other in zip(whole, parts, strict=True):
        pd.testing.assert_frame_equal(one, other)
    provenance = arena.Model.file(tmp_path / "mine").provenance
    assert provenance["command"] == "arena train lms --games 40 --seed 3 --openings 3move"
    with closing(sqlite3.connect(tmp_path / "parts.sqlite")) as connection:
        [(settings,)] = connection.execute("SELECT settings FROM runs")
    assert json.loads(settings)["openings"] == "3move"
    assert json.loads(settings)["identity"]["openings hash"] == provenance["openings"]


def test_resume_refuses_changed_openings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("B:W30,31,32:B1,2,3,4\n")
    words = ("--games", "4", "--seed", "1", "--openings", "file:path=book.txt", *FEW)
    assert run("train", "lms", *words).returncode == 0
    (tmp_path / "book.txt").write_text("B:W30,31,32:B1,2,3\n")
    done = run("train", "--resume", "last", "--games", "6")
    assert done.returncode == 2
    assert "it has changed (openings hash: " in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("lms", "--openings", "3move", "--from", "games.pdn"), "recorded games have openings of their own: leave out"),
        (("tiny", "--openings", "3move"), "Tiny starts all its games from the initial position: leave out --openings"),
        (("lms", "--openings", "4move"), "no opening named '4move'"),
        (("lms", "--openings", "file:path=none.txt"), "none.txt cannot be read: No such file"),
    ],
)
def test_bad_openings_are_a_one_line_error(run: Run, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "games.pdn").write_text('[Result "1-0"]\n1. 11-15 23-18 2. 8-11 1-0\n')
    done = run("train", *words, "--seed", "1", *FEW)
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert message in line
