"""Players in files and folders on the command line."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run

PLAYER = """
import arena

class Mine(arena.Player):
    def __init__(self, last: bool = False) -> None:
        self.last = last

    def choose(self, game):
        return game.board.legal_moves[-1 if self.last else 0]
"""
QUICK = ("--games", "2", "--seed", "7", "--workers", "1", "--quiet")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The current folder, with one file."""
    (tmp_path / "mine.py").write_text(PLAYER)
    return tmp_path


def rows(run: Run, *words: str) -> list[dict[str, Any]]:
    done = run("results", *words, "--json")
    assert done.returncode == 0, done.stderr
    table: list[dict[str, Any]] = json.loads(done.stdout)
    return table


def moves(run: Run, *words: str) -> list[str]:
    return [game["moves"] for game in rows(run, "games", *words)]


@pytest.mark.usefixtures("folder")
def test_file_plays_in_a_tournament_under_its_name(run: Run) -> None:
    done = run("tournament", "--players", "./mine.py:Mine,./mine.py:last=yes,random", *QUICK)
    assert done.returncode == 0, done.stderr
    assert {row["player"] for row in rows(run, "standings")} == {"mine", "mine:last=true", "random"}
    assert {row["forfeited_by"] for row in rows(run, "games")} == {None}
    assert run("replay", "t1/1", "--verify").returncode == 0
    assert run("replay", "t1/1", "--debug", "--no-boards").returncode == 0


def test_games_do_not_depend_on_the_folder_of_the_file(folder: Path, run: Run) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "mine.py").write_text(PLAYER)
    run("tournament", "--players", "./mine.py,random", *QUICK)
    run("tournament", "--players", "elsewhere/mine.py,random", *QUICK)
    assert moves(run, "--tournament", "t1") == moves(run, "--tournament", "t2")
    ids = [[game["game"] for game in rows(run, "games", "--tournament", name)] for name in ("t1", "t2")]
    assert ids[0] == ids[1]


@pytest.mark.long
def test_isolated_players_and_interpreters_load_files(folder: Path, run: Run) -> None:
    run("tournament", "--players", "./mine.py,random", *QUICK)
    run("tournament", "--players", "./mine.py,random", "--isolate", *QUICK)
    thread = "import threading, time\nthreading.Thread(target=time.sleep, args=[600], daemon=True).start()\n"
    (folder / "mine.py").write_text(thread + PLAYER)  # a process with threads cannot be forked safely
    run("tournament", "--players", "./mine.py,random", *QUICK)
    assert moves(run, "--tournament", "t1") == moves(run, "--tournament", "t2") == moves(run, "--tournament", "t3")


def test_resume_finds_the_file_from_another_folder(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run("tournament", "--players", "./mine.py,random", *QUICK)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    words = ("--resume", "t1", "--games", "4", "--db", "../results/arena.sqlite", "--quiet")
    assert run("tournament", *words).returncode == 0
    monkeypatch.chdir(tmp_path)
    assert len(rows(run, "games")) == 4


def test_moved_or_changed_file_is_one_line(folder: Path, run: Run) -> None:
    run("tournament", "--players", "./mine.py,random", *QUICK)
    more = ("tournament", "--resume", "t1", "--games", "4", "--quiet")
    (folder / "mine.py").rename(folder / "yours.py")
    moved = run(*more)
    assert moved.returncode == 2
    assert moved.stderr == (
        f"arena: 'mine' was in the file {folder}/mine.py, which does not exist any more: put it back there\n"
    )
    (folder / "mine.py").write_text(PLAYER + "\n# better\n")
    changed = run(*more)
    assert changed.returncode == 2
    assert changed.stderr.startswith("arena: 't1' cannot be resumed: mine has changed (version: mine.py ")
    assert changed.stderr.count("\n") == 1
    assert len(rows(run, "games")) == 2
    assert run(*more, "--accept-changed").returncode == 0
    assert len(rows(run, "games")) == 4


@pytest.mark.usefixtures("folder")
@pytest.mark.long
def test_tournament_grows_by_a_file(run: Run) -> None:
    run("tournament", "--players", "random,m1", *QUICK)
    done = run("tournament", "--resume", "t1", "--add", "./mine.py", "--quiet")
    assert done.returncode == 0, done.stderr
    assert run("tournament", "--resume", "t1", "--games", "4", "--quiet").returncode == 0
    assert len(rows(run, "games")) == 12


@pytest.mark.long
def test_tournament_file_names_files(folder: Path, run: Run) -> None:
    (folder / "cup.toml").write_text(
        'players = ["ours:last=yes", "random"]\ngames = 2\nseed = 7\n[files]\nours = "mine.py"\n'
    )
    done = run("tournament", "cup.toml", "--quiet")
    assert done.returncode == 0, done.stderr
    printed = run("results", "--spec").stdout
    assert f'ours = "{folder}/mine.py"' in printed
    (folder / "again.toml").write_text(printed)
    assert run("tournament", "again.toml", "--quiet").returncode == 0
    assert moves(run, "--tournament", "t1") == moves(run, "--tournament", "t2")


def test_folder_of_hand_ins_takes_part(folder: Path, run: Run) -> None:
    (folder / "all" / "alice").mkdir(parents=True)
    (folder / "all" / "alice" / "greedy.py").write_text(PLAYER)
    (folder / "all" / "bob.py").write_text(PLAYER.replace("[-1", "[-2"))
    (folder / "all" / "carl.py").write_text("import nonesuch\n")
    done = run("tournament", "--players-from", "all", "--players", "random", *QUICK)
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "left out: carl: all/carl.py cannot be imported: line 1: ModuleNotFoundError: No module named 'nonesuch'\n"
    )
    assert {row["player"] for row in rows(run, "standings")} == {"alice/greedy", "bob", "random"}
    assert run("tournament", "--resume", "t1", "--games", "4", "--quiet").returncode == 0


def test_clash_of_names_is_refused(folder: Path, run: Run) -> None:
    (folder / "all").mkdir()
    (folder / "all" / "mine.py").write_text(PLAYER)
    done = run("tournament", "--players-from", "all", "--players", "./mine.py,random", *QUICK)
    assert done.returncode == 2
    assert done.stderr == "arena: mine.py and all/mine.py both have the name 'mine' in specs: rename one\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.long
def test_compare_takes_files(run: Run) -> None:
    done = run("compare", "./mine.py:last=yes", "./mine.py", "--games", "2", "--seed", "1", "--quiet")
    assert done.returncode == 0, done.stderr
    assert {row["player"] for row in rows(run, "standings")} == {"mine", "mine:last=true"}


@pytest.mark.usefixtures("folder")
def test_play_and_analyze_take_files(run: Run) -> None:
    played = run("play", "--against", "./mine.py", "--as", "white", stdin="quit\n")
    assert "Black (mine) plays" in played.stdout
    assert played.returncode == 0, played.stderr
    assert "mine" in run("analyze", "start", "--player", "./mine.py").stdout


@pytest.mark.usefixtures("folder")
def test_page_of_a_player_in_a_file_shows_its_options(run: Run) -> None:
    done = run("players", "./mine.py")
    assert done.stdout.startswith("player mine, from mine.py ")
    assert "arena tournament --players mine.py:Mine:last=false,random" in done.stdout


@pytest.mark.long
def test_runs_against_files_can_be_resumed(folder: Path, run: Run) -> None:
    words = ("--games", "20", "--seed", "1", "--every", "10", "--baseline-games", "2", "--quiet")
    done = run("train", "lms", "--against", "./mine.py", "--baselines", "./mine.py:last=yes", *words)
    assert done.returncode == 0, done.stderr
    done = run("train", "--resume", "lms", "--games", "30", "--quiet")
    assert done.returncode == 0, done.stderr
    (folder / "mine.py").write_text(PLAYER + "\n# better\n")
    changed = run("train", "--resume", "lms", "--games", "40", "--quiet")
    assert changed.returncode == 2
    assert "the run 'lms' cannot be resumed: it has changed (baseline mine:last=true version: mine.py" in changed.stderr


def test_rubbish_from_choose_is_a_forfeit_with_its_reason(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(dedent(PLAYER).replace("return game", "game"))
    done = run("tournament", "--players", "./mine.py,random", *QUICK)
    assert done.returncode == 0
    assert "mine: 1 by illegal move: choose returned None" in done.stdout
