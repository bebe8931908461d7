"""Bad input: one clear line, a non-zero exit code, no traceback, nothing overwritten."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arena.cli import app
from arena.errors import ArenaError
from arena.kernels import compiled
from arena.store import PlayerIdentity, Store
from arena_evaluators.linear import SHIPPED

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
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
        ((*T, "lms,,td"), 2, "an empty player spec"),
        ((*T, "lms,lms"), 2, "twice"),
        ((*T, "lms,td", "--games", "7"), 2, "even"),
        ((*T, "lms,td", "--games", "0"), 2, "even"),
        ((*T, "lms,td", "--games", "many"), 2, "--games takes a whole number, not 'many'"),
        ((*T, "lms,td", "--games", "314"), 2, "312"),
        ((*T, "lms,td", "--openings", "4move"), 2, "3move"),
        ((*T, "lms,td", "--format", "swis"), 2, "no format named 'swis'; did you mean 'swiss'?"),
        ((*T, "lms,td", "--format", "swiss:rounds=0"), 2, "the option 'rounds' of swiss takes int >=1|none, not '0'"),
        ((*T, "lms,td", "--format", "swiss:rounds=2"), 2, "2 players have opponents for 1 rounds, not for 2"),
        (
            (*T, "lms,td", "--rounds", "5"),
            2,
            "no option '--rounds': the format sets the number of rounds, for example swi",
        ),
        ((*T, "lms,td", "--workers", "0"), 2, "--workers takes a whole number, 1 or more, not '0'"),
        ((*T, "lms,td", "--seed", "-1"), 2, "--seed takes a whole number from 0 to 9223372036854775807, not '-1'"),
        ((*T, "lms,td", "--move-timeout", "0"), 2, "move-timeout is a number, more than 0, not 0.0 (Seconds"),
        ((*T, "lms,td", "--game", "2"), 2, "arena tournament has no option '--game'; did you mean '--games'?"),
        ((*T, "m1,random", "--learning"), 2, "none of the players can learn while it plays"),
        ((*T, "human,random"), 2, "human plays at a terminal"),
        ((*T, "lms,td", "--move-timeout", "nan"), 2, "move-timeout is a number, more than 0, not nan"),
        ((*T, "lms,td", "--seed", "9223372036854775808"), 2, "--seed"),
        (("players", "--json", "--csv"), 2, "one of --json and --csv"),
        (("tournament",), 2, "arena tournament --players lms,td,minimax"),
        (("tournament", "--resume", "last"), 1, "arena tournament"),
        (("tournament", "--resume", "last", "--seed", "4"), 2, "--seed cannot be changed by --resume"),
        (("tournament", "--players", "random,m1", "--add", "lms"), 2, "--add goes with --resume: --players names"),
        (("results",), 1, "arena tournament"),
        (("results", "standing"), 2, "KIND takes one of standings, head-to-head,"),
        (("perft", "start", "-1"), 2, "-1"),
        (("perft", "B:W33:B1", "3"), 1, "33"),
        (("train", "lsm", "-o", "x"), 2, "did you mean 'lms'"),
        (("train", "lms", "--games", "0", "-o", "x"), 2, "--games"),
        (("train", "lms", "-o", "nowhere/x"), 2, "no folder"),
        (("train",), 2, "arena train lms --games 500"),
        (("train", "lms", "--every", "0"), 2, "--every"),
        (("train", "lms", "--seed", "-1"), 2, "--seed"),
        (("train", "lms", "--baselines", "m3"), 2, "no player named 'm3'"),
        (("train", "lms", "--baseline-games", "5"), 2, "must be an even number"),
        (("train", "lms", "--against", "minmax"), 2, "did you mean 'minimax'"),
        (("train", "lms", "--against", "m1", "--from", "x.pdn"), 2, "either"),
        (("train", "lms", "--from", "nothing.pdn"), 2, "neither a PDN file nor"),
        (("train", "lms", "--teacher", "nobody"), 2, "no player named 'nobody'"),
        (("train", "--resume", "last"), 1, "arena train create one"),
        (("train", "lms", "--resume", "last"), 2, "LEARNER cannot be changed by --resume"),
        (("tournament", "cup.toml", "--resume", "last"), 2, "SPEC cannot be changed by --resume"),
        (("tournament", "--resume", "last", "--new"), 2, "choose one of --resume"),
        ((*T, "random,m1", "--name", "17"), 1, "a tournament cannot be named '17'"),
        (("compare", "random", "m1", "--name", "last", "--new"), 1, "a tournament cannot be named 'last'"),
        (("train", "lms", "--name", "a b"), 1, "a run cannot be named 'a b'"),
        (("train", "lms", "--name", ""), 1, "a run cannot be named ''"),
        (("train", "tdleaf", "--against", "m1"), 2, "only learns from games against itself"),
        (("train", "td:n=visits:capacity=0"), 2, "n=visits and novelty need a memory"),
        ((*T, "lms@500,random"), 1, "no database"),
        ((*T, "lms@many,random"), 2, "is not a valid player spec"),
        ((*T, "lms:weights=@0123456789,random"), 1, "no database"),
        (("play", "--against", "lms@last"), 1, "no database"),
        (("models",), 1, "no database"),
        (("models", "--json", "--csv"), 2, "one of --json and --csv"),
        (("models", "show", "lms@500"), 1, "no database"),
        (("models", "show", "nothing.safetensors"), 2, "is not the name of a model"),
        (("models", "export", "lms@500"), 2, "arena models export needs FILE"),
        (("models", "import", "nothing.safetensors"), 1, "no weights file"),
        (("results", "metrics", "--run", "lms"), 1, "no database"),
        (("play", "--against", "nobody"), 2, "nobody"),
        (("play", "--fen", "nonsense"), 1, "nonsense"),
        (("tournamen",), 2, "arena has no command 'tournamen'; did you mean 'tournament'?"),
        (("tournament", "--games"), 2, "--games needs a value"),
        (("players", "--json=3"), 2, "--json takes no value"),
        (("players", "lms", "td"), 2, "arena players takes no further argument: 'td' is one too many"),
        (("train", "lms", "--games", "1" * 5000), 2, "--games takes a whole number, 1 or more, not '111"),
        ((*T, "lms:weights=" + "x" * 300 + ",random"), 1, "File name too long"),
        ((*T, "lms,random", "--db", "x" * 300), 1, "File name too long"),
        (("train", "lms", "-o", "x" * 300), 2, "File name too long"),
        (("models", "show", "x" * 300), 2, "is not the name of a model"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bad_input_is_a_one_line_error_and_writes_nothing(
    run: Run, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    done = run(*words)
    assert done.returncode == code, done.stderr
    [line] = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert message in line
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def cold(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of an empty cache for this process and its children."""
    folder = tmp_path_factory.mktemp("cold")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    compiled._folder.cache_clear()
    yield folder
    compiled._folder.cache_clear()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param((*T, "lms,minmax"), 2, id="a wrong word"),
        pytest.param((*T, "lms@500,random"), 1, id="what is not there", marks=pytest.mark.long),
    ],
)
def test_a_process_prints_one_line_exits_with_the_code_and_compiles_nothing(
    start: Run, tmp_path: Path, cold: Path, words: tuple[str, ...], code: int
) -> None:
    done = start(*words)
    assert (done.returncode, done.stdout) == (code, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert list(tmp_path.iterdir()) == []
    assert not list(cold.rglob("*.nbc"))


@pytest.mark.parametrize(
    "words",
    [
        ("train", "lms", "--name", "a b"),
        ("train", "tdleaf", "--against", "m1"),
        ("train", "td:n=visits:capacity=0"),
        ("play", "--against", "lms:weights=gone.safetensors"),
        ("analyze", "start", "--evaluator", "lms:weights=gone.safetensors"),
        (*T, "lms,random", "--name", "17"),
    ],
    ids=" ".join,
)
def test_refused_commands_compile_nothing(run: Run, cold: Path, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode in (1, 2)
    assert len(done.stderr.splitlines()) == 1
    assert not list(cold.rglob("*.nbc"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        *(((*T, "m1,random", "--clock", text), f"for example 60+0.5, not '{text}'") for text in CLOCKS),
        ((*T, "m1,random", "--seconds", "inf"), "leave it out if there is no limit"),
        (("tournament", "m1,random"), "there is no file m1,random; to name players, use --players"),
        ((*T, "m1,random", "--adjudicate", "tables,"), "not by the empty part of 'tables,'"),
        (("models", "--json", "show", "lms@last"), "--json and --csv apply to the list of models, not to show"),
        (("export", "-o", ""), "name a file to write, or - for standard output"),
        (("analyze", "start", "--player", "m1", "--pieces", "3"), "--pieces has no effect with --player"),
        (("analyze", "start", "--player", "m1", "--evaluator", "material"), "--evaluator has no effect with --player"),
        (("replay", "3", "--verify", "--boards"), "--verify draws no boards"),
        (("train", "lms", "--baselines", "m1,random,m1"), "m1 is named twice"),
        (("train", "lms", "--teacher", "human"), "human plays at a terminal"),
        (("train", "lms", "--from", ""), "'' is neither a PDN file nor"),
        (("import", "games.pdn", "--collection", ""), "a collection cannot be named ''"),
        (("results", "metrics", "--tournament", "cup"), "metrics takes no --tournament"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_options_without_effect_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "games.pdn").write_text("1. 11-15 23-18 1-0")
    with pytest.raises(ArenaError, match=re.escape(message)) as raised:
        app.run(words)
    assert "\n" not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["games.pdn"]


@pytest.mark.parametrize("group", ["tablebase", "claims"])
def test_a_group_without_a_command_lists_its_commands(capsys: pytest.CaptureFixture[str], group: str) -> None:
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
def test_files_of_other_programs_are_not_changed(
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


def test_a_database_that_cannot_be_written_is_a_one_line_error(run: Run) -> None:
    done = run(*T, "lms,random", "--games", "2", "--db", "/proc/nowhere/arena.sqlite")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "/proc/nowhere" in line


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """A database with a tournament named ``mine``."""
    path = tmp_path / "results" / "arena.sqlite"
    with Store.open(path) as store:
        seats = [PlayerIdentity(name, name, "test", "1") for name in ("m1", "random")]
        store.create_tournament("mine", 1, {}, seats)
    return path


@pytest.mark.parametrize("words", [(*T, "random,m1"), ("compare", "random", "m1")], ids=lambda words: words[0])
@pytest.mark.usefixtures("mine")
def test_a_taken_name_is_refused(run: Run, words: tuple[str, ...]) -> None:
    again = run(*words, "--games", "2", "--name", "mine")
    assert again.returncode == 1
    [line] = [line for line in again.stderr.splitlines() if line.startswith("arena: ")]
    assert "already has a tournament 'mine': arena tournament --resume mine continues it, --new starts" in line


def test_new_adds_a_number_to_a_taken_name(run: Run, mine: Path) -> None:
    done = run(*T, "random,m1", "--games", "2", "--name", "mine", "--new")
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(mine)) as connection:
        games = connection.execute("SELECT tournament, count(*) FROM v_games GROUP BY 1 ORDER BY 1").fetchall()
    assert games == [("mine-2", 2)]


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x02\x00\x00\x00\x00\x00\x00\x00{}"])
def test_files_that_hold_no_weights_are_refused(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w.safetensors").write_bytes(content)
    done = run(*T, "lms:weights=w.safetensors,random")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert "w.safetensors" in line
    assert list(tmp_path.iterdir()) == [tmp_path / "w.safetensors"]


def test_weights_of_another_kind_and_missing_weights_are_refused(run: Run, tmp_path: Path) -> None:
    SHIPPED.save(tmp_path / "lms.safetensors", {})
    wrong = run(*T, "td:weights=lms.safetensors,random")
    assert wrong.returncode == 1
    assert "holds weights of kind lms, not td" in wrong.stderr
    missing = run(*T, "lms:weights=gone.safetensors,random")
    assert missing.returncode == 1
    assert "no weights file gone.safetensors" in missing.stderr


def test_training_does_not_overwrite_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    done = run("train", "lms", "--games", "2", "-o", "precious")
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert (tmp_path / "precious").read_text() == "precious"
