"""The smaller commands."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING

import psutil
import pytest

import arena
from arena import cli
from arena.plugins.registry import KINDS
from arena.workers import system

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['arena', '--help']\n"
        "from arena.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(*sorted({'numpy', 'numba', 'pandas', 'sqlalchemy', 'pluggy'} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "tournament" in done.stdout
    assert done.stderr.strip() == ""


def children() -> set[int]:
    """The running processes that this process started."""
    return {each.pid for each in psutil.Process().children()}


@pytest.mark.parametrize(
    ("line", "plays"),
    [
        ("tournament --players lms,td", True),
        ("compare lms td", True),
        ("tournament -h", False),
        ("compare --help", False),
        ("results", False),
    ],
)
def test_commands_that_play_games_start_the_launcher_first(
    line: str, plays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "COMMAND", "import time; time.sleep(600) or {}")
    before = children()
    with cli._launcher_for(line.split()) as launcher:
        assert (launcher is not None) == plays
        assert (children() != before) == (plays and system.FORKS)
    assert children() == before


def test_the_version_is_that_of_the_distribution(run: Run) -> None:
    assert run("--version").stdout == f"checkers-arena {version('checkers-arena')}\n"


def test_every_command_has_help(run: Run) -> None:
    listed = [line.split()[0] for line in run("--help").stdout.split("Commands:")[1].splitlines() if line.strip()]
    commands = [word for word in listed if word.isalpha()]
    assert {"tournament", "results", "train", "play", "players", "evaluators", "learners", "plugins", "perft"} <= set(
        commands
    )
    for command in commands:
        assert run(command, "--help").stdout.startswith("Usage")


def test_perft(run: Run) -> None:
    assert run("perft", "start", "7").stdout == "179740\n"
    circle = "B:W15,16,K23,24,K26:BK27"
    assert run("perft", circle, "3").stdout == "24\n"
    assert run("perft", circle, "3", "--unique").stdout == "12\n"


@pytest.mark.parametrize(
    ("command", "name", "option"),
    [
        ("players", "minimax", "depth: int 1..64 = 4"),
        ("evaluators", "heuristic", "kings: float = 7"),
        ("learners", "lms", "rate: float >=0 = 0.1"),
    ],
)
def test_lists_have_names_origins_options_and_descriptions(run: Run, command: str, name: str, option: str) -> None:
    [row] = [row for row in json.loads(run(command, "--json").stdout) if row["name"] == name]
    assert row["origin"].startswith("checkers-arena ")
    assert option in row["options"].split("; ")
    assert row["description"]
    assert row["description"] in run(command).stdout


@pytest.mark.parametrize(
    ("words", "option", "kind", "default", "use"),
    [
        ("players minimax", "depth", "int 1..64", "4", "arena tournament --players minimax:depth=4,random"),
        ("learners lms", "rate", "float >=0", "0.1", "arena train lms:rate=0.1 --games 500"),
        ("evaluators neural", "weights", "model (mlp)", "shipped", "arena analyze start --evaluator neural:weights="),
        ("openings random", "number", "int 1..1000000", "1000", "--openings random:plies=6"),
        ("ratings glicko2", "tau", "float 0.1..2", "0.5", 'ratings = ["glicko2:tau=0.5"]'),
        ("formats swiss", "rounds", "int >=1|none", "none", "--format swiss:rounds=none"),
    ],
)
def test_page_of_a_plugin_shows_summary_provider_options_and_use(
    run: Run, words: str, option: str, kind: str, default: str, use: str
) -> None:
    page = run(*words.split()).stdout
    command, name = words.split()
    assert page.startswith(f"{command.removesuffix('s')} {name}, from checkers-arena ")
    [listed] = [row for row in json.loads(run(command, "--json").stdout) if row["name"] == name]
    assert listed["description"].partition(",")[0] in page
    [row] = [row for row in json.loads(run(*words.split(), "--json").stdout) if row["option"] == option]
    assert (row["type"], row["default"]) == (kind, default)
    assert row["description"]
    assert row["description"] in page
    assert f"    arena {use}" in page or use in page


def test_page_of_an_unknown_plugin_is_refused(run: Run) -> None:
    done = run("learners", "lsm")
    assert (done.returncode, done.stderr) == (2, "arena: no learner named 'lsm'; did you mean 'lms'?\n")


@pytest.mark.parametrize("words", ["plugins", "players", "learners lms", "evaluators heuristic"])
def test_lists_and_pages_fit_in_80_columns(run: Run, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*words.split()).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line != line.rstrip()] == []


def test_plugins_lists_all_kinds(run: Run) -> None:
    rows = json.loads(run("plugins", "--json").stdout)
    assert {row["kind"] for row in rows} == {*KINDS, "command"}
    assert {"3move", "davidson"} <= {row["name"] for row in rows}


def test_trained_weights_play(run: Run, start: Run, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert run("train", "lms", "--games", "20", "--seed", "4", "-o", name).returncode == 0
    one, two = arena.Model.file(tmp_path / "one"), arena.Model.file(tmp_path / "two")
    assert one.hash == two.hash
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert one.provenance["command"] == "arena train lms --games 20 --seed 4"
    done = start("tournament", "--players", "lms:weights=one,random", "--games", "20", "--seed", "1")
    assert done.returncode == 0, done.stderr
    with arena.Results(tmp_path / "results" / "arena.sqlite") as results:
        standings = results.standings("last").set_index("player")
    assert standings.wins["lms:weights=one"] >= 16


def test_python_m_arena_is_the_command_line() -> None:
    command = [sys.executable, "-m", "arena", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"checkers-arena {version('checkers-arena')}\n"


def test_arena_db_is_the_default_database(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_DB", "mine.sqlite")
    done = run("tournament", "--players", "random,m1", "--games", "2", "--seed", "1", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mine.sqlite").exists()
    assert "recorded in mine.sqlite as tournament 't1'" in done.stdout
    assert len(json.loads(run("results", "games", "--json").stdout)) == 2
    assert run("models", "--csv").returncode == 0
    assert run("results", "games", "--db", "other.sqlite").returncode == 1
    (tmp_path / "cup.toml").write_text('players = ["random", "m1"]\ngames = 2\ndb = "file.sqlite"\n')
    assert run("tournament", "cup.toml", "--workers", "1").returncode == 0
    assert (tmp_path / "file.sqlite").exists()
    assert not (tmp_path / "results").exists()


def test_quiet_prints_results_and_errors_only(run: Run) -> None:
    done = run("tournament", "--players", "random,m1", "--games", "2", "--workers", "1", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert "standings after 2 games" in done.stdout
    assert "2 games" in run("tournament", "--players", "random,m1", "--games", "2", "--workers", "1").stderr
    wrong = run("tournament", "--players", "random,nobody", "--quiet")
    assert wrong.stderr.startswith("arena: no player named 'nobody'")
    trained = run("train", "lms", "--games", "20", "--seed", "1", "--baseline-games", "2", "--quiet")
    assert (trained.returncode, trained.stderr) == (0, "")


COMPLETED = {
    "learn": {"learners"},
    "results head": {"head-to-head"},
    "results --tournament cu": {"cup"},
    "results --run l": {"last", "lms"},
    "train tdl": {"tdleaf"},
    "learners regr": {"regression"},
    "tournament --format sw": {"swiss"},
    "tournament --openings 3": {"3move"},
    "tournament --resume c": {"cup"},
    "tournament --players lms,mini": {"lms,minimax"},
    "tournament --players random,lms@": {"random,lms@last"},
}


def test_shells_complete_names(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from arena.store import Store

    with Store.open(tmp_path / "x.sqlite") as store:
        store.create_tournament("cup", 1, {}, [])
    monkeypatch.setenv("ARENA_DB", "x.sqlite")
    trained = run("train", "lms", "--games", "20", "--every", "20", "--seed", "1", "--baseline-games", "2")
    assert trained.returncode == 0, trained.stderr
    monkeypatch.setenv("_ARENA_COMPLETE", "complete_bash")
    for words, completed in COMPLETED.items():
        monkeypatch.setenv("COMP_WORDS", f"arena {words}")
        monkeypatch.setenv("COMP_CWORD", str(len(words.split())))
        assert set(run().stdout.split()) == completed


def test_completion_with_a_missing_or_damaged_database_has_no_names(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "damaged.sqlite").write_text("no database")
    monkeypatch.setenv("_ARENA_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_CWORD", "3")
    for name in ("missing.sqlite", "damaged.sqlite"):
        monkeypatch.setenv("ARENA_DB", name)
        monkeypatch.setenv("COMP_WORDS", "arena results --tournament t")
        done = run()
        assert (done.stdout.strip(), done.stderr) == ("", "")
    assert not (tmp_path / "missing.sqlite").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_terminal_of_80_columns_is_filled_without_colours_if_no_color_is_set(tmp_path: Path) -> None:
    import fcntl
    import pty
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
    command = [sys.executable, "-m", "arena", "tournament", "--players", "random,m1", "--games", "20", "--workers", "1"]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {"TERM": "xterm", "NO_COLOR": "1"}
    with subprocess.Popen(command, cwd=tmp_path, stdin=child, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        content = b""
        with suppress(OSError):  # Linux raises it when the other end is closed
            while part := os.read(parent, 65536):
                content += part
    os.close(parent)
    assert process.returncode == 0
    text = content.decode().replace("\r", "")
    assert not re.search(r"\x1b\[[0-9;]*[34][0-9]", text)
    tables = text.partition("standings after 20 games")[2].splitlines()
    assert "rank" in tables[2]
    assert max(map(len, tables)) <= 80


def test_without_a_command_there_is_help(run: Run) -> None:
    assert run().stdout == run("--help").stdout
