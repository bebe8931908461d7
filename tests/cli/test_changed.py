"""A player whose code changes between a run of a tournament and its resumption."""

from __future__ import annotations

import importlib
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from arena.plugins import fingerprint, registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

STOPS = """
import sys
from arena.cli import main
from arena.tournament.tally import Tally
add = Tally.add
def stopping(tally, record):
    add(tally, record)
    if tally._played == 3:
        raise KeyboardInterrupt
Tally.add = stopping
sys.argv[0] = "arena"
main()
"""
"""The command line, interrupted after three games."""


class Plugin:
    """A distribution with the player ``mine``, in a folder of installed distributions."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.module = folder, folder / "arena_mine.py"
        info = folder / "arena_mine-1.0.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: arena-mine\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[arena]\nmine = arena_mine\n")
        self.chooses("[0]")

    def chooses(self, which: str) -> None:
        """Write the plugin. Its player chooses the legal move with the index ``which``, for example ``[0]``."""
        code = f"""
            import arena
            class Mine(arena.Player):
                "Takes one of the legal moves."
                def choose(self, game): return game.board.legal_moves{which}
            @arena.hookimpl
            def register_players(): return {{"mine": Mine}}
        """
        self.module.write_text(dedent(code))
        forget()


def forget() -> None:
    """Forget what this process knows of installed plugins."""
    registry.load.cache_clear()
    fingerprint.fingerprint.cache_clear()
    importlib.invalidate_caches()
    sys.modules.pop("arena_mine", None)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a tournament of 8 games, of which 3 are on record."""
    folder = tmp_path_factory.mktemp("begun")
    words = ("tournament", "--players", "mine,random", "--games", "8", "--seed", "1", "--db", "x.sqlite")
    done = subprocess.run(
        [sys.executable, "-c", STOPS, *words, "--workers", "1"],
        cwd=folder,
        env=os.environ | surroundings(Plugin(folder / "site").folder),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "3 of 8 games are on record" in done.stderr, done.stderr
    return folder / "x.sqlite"


@pytest.fixture
def stopped(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plugin]:
    """The installed player of a stopped tournament, in a folder with a copy of the tournament's database."""
    (tmp_path / "x.sqlite").write_bytes(begun.read_bytes())
    site = tmp_path / "site"
    for name, value in surroundings(site).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(site)
    yield Plugin(site)
    forget()


def surroundings(site: Path) -> dict[str, str]:
    """Return environment variables with which a process finds the plugin in a folder."""
    path = os.pathsep.join(filter(None, (str(site), os.environ.get("PYTHONPATH"))))
    # No bytecode: if a module is edited twice within a second, Python would load the old bytecode.
    return {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


RESUME = ("tournament", "--resume", "last", "--db", "x.sqlite", "--workers", "1")


def test_a_tournament_of_unchanged_players_is_resumed_without_a_warning(stopped: Plugin, run: Run) -> None:
    stopped.chooses("[0]")
    done = run(*RESUME)
    assert done.returncode == 0, done.stderr
    assert "changed" not in done.stdout + done.stderr


def test_a_changed_player_is_refused_until_the_change_is_accepted(
    stopped: Plugin, start: Run, run: Run, tmp_path: Path
) -> None:
    stopped.chooses("[-1]")
    refused = start(*RESUME)
    assert (refused.returncode, refused.stdout) == (2, "")
    [line] = refused.stderr.splitlines()
    assert line.startswith("arena: 't1' cannot be resumed: mine has changed (code: ")
    assert "--accept-changed goes on" in line
    assert games(tmp_path) == 3

    done = run(*RESUME, "--accept-changed")
    assert done.returncode == 0, done.stderr
    [note] = [line for line in done.stdout.splitlines() if line.startswith("The code of mine changed between games")]
    versions = json.loads(run("results", "versions", "--db", "x.sqlite", "--json").stdout)
    mine = [row for row in versions if row["player"] == "mine"]
    assert [(row["version"], row["games"]) for row in mine] == [("arena-mine 1.0", 3), ("arena-mine 1.0", 5)]
    assert mine[0]["code"] != mine[1]["code"]
    assert all(f"{row['games']} by arena-mine 1.0 (code {row['code']})" in note for row in mine)
    assert [(row["player"], row["games"]) for row in versions][2:] == [("random", 8)]

    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        by_code = "SELECT CASE black WHEN 'mine' THEN black_code ELSE white_code END AS code, count(*) FROM v_games"
        found = dict(connection.execute(f"{by_code} GROUP BY code").fetchall())
    assert found == {row["code"]: row["games"] for row in mine}
    assert run(*RESUME).returncode == 0  # that change has been accepted

    stopped.chooses("[0]")
    assert "cannot be resumed" in run(*RESUME).stderr  # the code of the beginning is another change


def test_the_first_cause_of_a_game_that_differs_is_the_changed_code(stopped: Plugin, start: Run, run: Run) -> None:
    assert run(*RESUME).returncode == 0
    game = json.loads(run("results", "games", "--db", "x.sqlite", "--json").stdout)[0]["game"]
    verify = ("replay", str(game), "--verify", "--db", "x.sqlite")
    assert "is the same, move by move" in run(*verify).stdout
    stopped.chooses("[-1]")
    done = start(*verify)
    assert done.returncode == 1
    *_, line = done.stderr.splitlines()
    assert "differs at ply" in line
    assert "now: mine has changed (code: " in line


def test_games_are_verified_by_the_code_that_played_them(stopped: Plugin, run: Run) -> None:
    stopped.chooses("[-1]")
    assert run(*RESUME, "--accept-changed").returncode == 0
    rows = json.loads(run("results", "games", "--db", "x.sqlite", "--json").stdout)
    codes = [row["black_code"] if row["black"] == "mine" else row["white_code"] for row in rows]
    old, new = rows[codes.index(codes[0])], next(row for row, code in zip(rows, codes, strict=True) if code != codes[0])
    assert "mine has changed" in "".join(replayed(run, old["game"]))
    assert "note:" not in "".join(replayed(run, new["game"]))


def test_a_tournament_of_an_older_version_is_resumed_with_one_warning(
    stopped: Plugin, run: Run, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        [(text,)] = connection.execute("SELECT settings FROM tournaments").fetchall()
        settings = json.loads(text)
        for player in settings["players"]:
            del player["code"]
        connection.execute("UPDATE tournaments SET settings = ?", [json.dumps(settings)])
        connection.execute("UPDATE players SET code = NULL")
        connection.commit()
    stopped.chooses("[-1]")
    done = run(*RESUME)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("did not record the code of its players") == 1
    [note] = [line for line in done.stdout.splitlines() if line.startswith("The code of mine may have changed")]
    assert "3 by arena-mine 1.0 (code not recorded), 5 by arena-mine 1.0 (code " in note
    again = run(*RESUME)
    assert (again.returncode, "did not record" in again.stderr) == (0, False)
    stopped.chooses("[0]")
    assert "mine has changed (code: " in run(*RESUME).stderr


def test_accept_changed_needs_resume(run: Run) -> None:
    done = run("tournament", "--players", "random,m1", "--accept-changed")
    assert (done.returncode, done.stderr.count("--accept-changed goes with --resume")) == (2, 1)


def games(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "x.sqlite")) as connection:
        [(count,)] = connection.execute("SELECT count(*) FROM games").fetchall()
    return int(count)


def replayed(run: Run, game: int) -> tuple[str, str]:
    done = run("replay", str(game), "--verify", "--db", "x.sqlite")
    return done.stdout, done.stderr
