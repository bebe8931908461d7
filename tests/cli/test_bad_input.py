"""The wrong thing typed: one clear line, a non-zero exit code, no traceback, nothing overwritten."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arena import library
from arena.cli import app
from arena.errors import ArenaError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

T = ("tournament", "--players")
CLOCKS = ("60+0.5+3", "", "5+-1", "inf", "5+", "+3", "-1", "0", "nan", "1+inf")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((*T, "lms,minmax"), 2, "no player named 'minmax'; did you mean 'minimax'?"),
        ((*T, "lms,minimax:dept=3"), 2, "depth"),
        ((*T, "lms,minimax:depth=deep"), 2, "depth"),
        ((*T, "lms,minimax:depth=0"), 2, "1..64"),
        ((*T, "lms,minimax:depth=2:depth=3"), 2, "twice"),
        ((*T, "lms,minimax:evaluator=heuristik"), 2, "did you mean 'heuristic'"),
        ((*T, "lms"), 2, "two players"),
        ((*T, ""), 2, "player"),
        ((*T, "lms,,td"), 2, "missing"),
        ((*T, "lms,lms"), 2, "twice"),
        ((*T, "lms,td", "--games", "7"), 2, "even"),
        ((*T, "lms,td", "--games", "0"), 2, "even"),
        ((*T, "lms,td", "--games", "many"), 2, "--games"),
        ((*T, "lms,td", "--games", "314"), 2, "312"),
        ((*T, "lms,td", "--openings", "4move"), 2, "3move"),
        ((*T, "lms,td", "--workers", "0"), 2, "--workers"),
        ((*T, "lms,td", "--seed", "-1"), 2, "--seed"),
        ((*T, "lms,td", "--move-timeout", "0"), 2, "seconds"),
        ((*T, "lms,td", "--nonsense"), 2, "--nonsense"),
        ((*T, "m1,random", "--learning"), 2, "none of the players has a learner"),
        ((*T, "human,random"), 2, "human plays at a terminal"),
        ((*T, "lms,td", "--move-timeout", "nan"), 2, "seconds"),
        ((*T, "lms,td", "--seed", "9223372036854775808"), 2, "--seed"),
        (("players", "--json", "--csv"), 2, "one of --json and --csv"),
        (("tournament",), 2, "arena tournament --players lms,td,minimax"),
        (("tournament", "--resume", "last"), 1, "arena tournament"),
        (("tournament", "--resume", "last", "--games", "4"), 2, "--games cannot be changed by --resume"),
        (("results",), 1, "arena tournament"),
        (("results", "nonsense"), 2, "nonsense"),
        (("perft", "start", "-1"), 2, "-1"),
        (("perft", "B:W33:B1", "3"), 1, "33"),
        (("train", "lsm", "-o", "x"), 2, "did you mean 'lms'"),
        (("train", "lms", "--games", "0", "-o", "x"), 2, "--games"),
        (("train", "lms", "-o", "nowhere/x"), 2, "no folder"),
        (("train",), 2, "arena train lms --games 500"),
        (("train", "lms", "--every", "0"), 2, "--every"),
        (("train", "lms", "--seed", "-1"), 2, "--seed"),
        (("train", "lms", "--yardsticks", "m3"), 2, "no player named 'm3'"),
        (("train", "lms", "--yardstick-games", "5"), 2, "pairs"),
        (("train", "lms", "--against", "minmax"), 2, "did you mean 'minimax'"),
        (("train", "lms", "--against", "m1", "--from", "x.pdn"), 2, "either"),
        (("train", "lms", "--from", "nothing.pdn"), 2, "neither a PDN file nor"),
        (("train", "lms", "--teacher", "nobody"), 2, "no player named 'nobody'"),
        (("train", "--resume", "last"), 1, "so does arena train"),
        (("train", "lms", "--resume", "last"), 2, "LEARNER cannot be changed by --resume"),
        (("tournament", "cup.toml", "--resume", "last"), 2, "SPEC cannot be changed by --resume"),
        (("tournament", "--resume", "last", "--new"), 2, "choose one of --resume"),
        ((*T, "random,m1", "--name", "17"), 1, "a tournament cannot be named '17'"),
        (("compare", "random", "m1", "--name", "last", "--new"), 1, "a tournament cannot be named 'last'"),
        (("train", "lms", "--name", "a b"), 1, "a run cannot be named 'a b'"),
        (("train", "lms", "--name", ""), 1, "a run cannot be named ''"),
        (("train", "tdleaf", "--against", "m1"), 2, "learns from games against itself alone"),
        (("train", "td:n=visits:capacity=0"), 2, "there are no visits"),
        ((*T, "lms@500,random"), 1, "no database"),
        ((*T, "lms@many,random"), 2, "names no player"),
        ((*T, "lms:weights=@0123456789,random"), 1, "no database"),
        (("play", "--against", "lms@last"), 1, "no database"),
        (("models",), 1, "no database"),
        (("models", "--json", "--csv"), 2, "one of --json and --csv"),
        (("models", "show", "lms@500"), 1, "no database"),
        (("models", "show", "nothing.safetensors"), 2, "names no model"),
        (("models", "export", "lms@500"), 2, "'file'"),
        (("models", "import", "nothing.safetensors"), 1, "no weights file"),
        (("results", "metrics", "--run", "lms"), 1, "no database"),
        (("play", "--against", "nobody"), 2, "nobody"),
        (("play", "--fen", "nonsense"), 1, "nonsense"),
        (("nonsense",), 2, "nonsense"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_one_clear_line_and_nothing_left_behind(
    run: Run, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = run(*words)
    assert done.returncode == code, done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert message in line
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        *(((*T, "m1,random", "--clock", text), f"for example 60+0.5, not '{text}'") for text in CLOCKS),
        ((*T, "m1,random", "--seconds", "inf"), "not for ever"),
        (("tournament", "m1,random"), "there is no file m1,random; players are named by --players"),
        ((*T, "m1,random", "--adjudicate", "tables,"), "not by the empty part of 'tables,'"),
        (("models", "--json", "show", "lms@last"), "--json and --csv print the list of models, not what show does"),
        (("export", "-o", ""), "name a file to write, or - for standard output"),
        (("analyze", "start", "--player", "m1", "--pieces", "3"), "--pieces counts for nothing where a --player"),
        (("analyze", "start", "--player", "m1", "--evaluator", "material"), "--evaluator counts for nothing"),
        (("replay", "3", "--verify", "--boards"), "--verify draws no boards"),
        (("train", "lms", "--yardsticks", "m1,random,m1"), "m1 is named twice"),
        (("train", "lms", "--teacher", "human"), "human plays at a terminal"),
        (("train", "lms", "--from", ""), "'' is neither a PDN file nor"),
        (("import", "games.pdn", "--collection", ""), "a collection cannot be named ''"),
        (("results", "metrics", "--tournament", "cup"), "metrics takes no --tournament"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_means_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(library, "_location", library.location())
    (tmp_path / "games.pdn").write_text("1. 11-15 23-18 1-0")
    with pytest.raises(ArenaError, match=re.escape(message)) as raised:
        app.run(words)
    assert "\n" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["games.pdn"]


@pytest.mark.parametrize("group", ["tablebase", "experiment"])
def test_a_group_of_commands_without_any_shows_what_there_is(capsys: pytest.CaptureFixture[str], group: str) -> None:
    assert app.run([group]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("Usage: ")
    assert f" {group} [OPTIONS] COMMAND" in shown.splitlines()[0]
    assert "Commands:\n" in shown


def garbage(path: Path) -> None:
    path.write_bytes(b"not a database at all, but a text that somebody needs" * 100)


def foreign(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE recipes (name)")
    connection.commit()
    connection.close()


def directory(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [garbage, foreign, directory])
@pytest.mark.parametrize(
    "words", [(*T, "lms,random", "--games", "2"), ("results",), ("tournament", "--resume", "last")]
)
def test_a_file_that_is_not_ours_is_left_alone(
    run: Run, tmp_path: Path, words: tuple[str, ...], make: Callable[[Path], None]
) -> None:
    path = tmp_path / "theirs.sqlite"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    done = run(*words, "--db", "theirs.sqlite")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "theirs.sqlite" in line
    assert (path.read_bytes() if path.is_file() else None) == before
    assert [file.name for file in tmp_path.iterdir()] == ["theirs.sqlite"]


def test_a_place_that_cannot_be_written(run: Run) -> None:
    done = run(*T, "lms,random", "--games", "2", "--db", "/proc/nowhere/arena.sqlite")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "/proc/nowhere" in line


@pytest.mark.parametrize("words", [(*T, "random,m1"), ("compare", "random", "m1")], ids=lambda words: words[0])
def test_a_name_that_is_taken(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    words = (*words, "--games", "2", "--name", "mine")
    assert run(*words).returncode == 0
    again = run(*words)
    assert again.returncode == 1
    [line] = again.stderr.splitlines()
    assert "already has a tournament 'mine': arena tournament --resume mine goes on with it, --new begins" in line
    assert run(*words, "--new").returncode == 0
    with closing(sqlite3.connect(tmp_path / "results" / "arena.sqlite")) as connection:
        games = connection.execute("SELECT tournament, count(*) FROM v_games GROUP BY 1 ORDER BY 1").fetchall()
    assert games == [("mine", 2), ("mine-2", 2)]


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x02\x00\x00\x00\x00\x00\x00\x00{}"])
def test_weights_that_are_not_ours(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w.safetensors").write_bytes(content)
    done = run(*T, "lms:weights=w.safetensors,random")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "w.safetensors" in line
    assert list(tmp_path.iterdir()) == [tmp_path / "w.safetensors"]


def test_weights_of_another_kind_and_weights_that_are_missing(run: Run) -> None:
    assert run("train", "lms", "--games", "2", "-o", "lms.safetensors").returncode == 0
    wrong = run(*T, "td:weights=lms.safetensors,random")
    assert wrong.returncode == 1
    assert "holds weights of kind lms, not td" in wrong.stderr
    missing = run(*T, "lms:weights=gone.safetensors,random")
    assert missing.returncode == 1
    assert "no weights file gone.safetensors" in missing.stderr


def test_training_never_overwrites(run: Run, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    done = run("train", "lms", "--games", "2", "-o", "precious")
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert (tmp_path / "precious").read_text() == "precious"
