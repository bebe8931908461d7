"""``arena import`` and ``arena export``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from draughts.PDN import PDNReader

import arena
from arena.checkers import pdn

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

GOOD = '[Event "a"]\n[Black "M.F. Tinsley"]\n[Result "1-0"]\n1. 11-15 23-19 2. 8-11 {0.5} 1-0\n\n'
ALSO = '[Event "b"]\n[White "Derek Oldbury"]\n[Setup "1"]\n[FEN "W:W32,27:B20,15."]\n1. 27-23 20-24 1/2-1/2\n'
BAD = '[Event "c"]\n1. 11-15 23-19\n2. 8-12 1-0\n'


@pytest.fixture
def mixed(tmp_path: Path) -> str:
    (tmp_path / "mixed.pdn").write_text(GOOD + BAD + ALSO)
    return "mixed.pdn"


def test_good_games_are_stored_and_bad_games_reported(run: Run, tmp_path: Path, mixed: str) -> None:
    done = run("import", mixed)
    assert done.returncode == 0
    [line] = done.stderr.splitlines()
    assert line.startswith("arena: mixed.pdn: game 2, line 8: ply 3: 8-12 is not legal in B:W")
    assert done.stdout == "mixed.pdn: 2 games in collection 'mixed', 1 bad\n"
    with arena.Results(tmp_path / "results/arena.sqlite") as results:
        frame = results.collected("mixed")
    assert frame["event"].tolist() == ["a", "b"]
    assert frame["number"].tolist() == [1, 3]


def test_games_imported_again_are_stored_once(run: Run, tmp_path: Path, mixed: str) -> None:
    run("import", mixed, "--db", "a.sqlite")
    (tmp_path / mixed).write_text(BAD + GOOD + ALSO + '[Event "d"] *')
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / mixed).rename(tmp_path / "elsewhere" / mixed)
    done = run("import", f"elsewhere/{mixed}", "--db", "a.sqlite")
    assert done.returncode == 0
    assert "3 games in collection 'mixed' (2 of them were already stored), 1 bad" in done.stdout
    with arena.Results(tmp_path / "a.sqlite") as results:
        assert sorted(results.collected()["event"]) == ["a", "b", "d"]


def test_several_files_in_one_collection(run: Run, tmp_path: Path) -> None:
    for name, text in (("one.pdn", GOOD), ("two.pdn", ALSO), ("three.pdn", BAD)):
        (tmp_path / name).write_text(text)
    done = run("import", "one.pdn", "two.pdn", "three.pdn", "--collection", "mine")
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "one.pdn: 1 game in collection 'mine', 0 bad",
        "two.pdn: 1 game in collection 'mine', 0 bad",
        "three.pdn: no game kept, 1 bad",
    ]
    exported = run("export", "--collection", "mine", "-o", "-")
    assert exported.stdout.count("[Event ") == 2


@pytest.mark.parametrize("text", [BAD, "Dear diary,\n", "1. e3-d4 b6-c5 0-1\n", "\0"])
def test_files_without_readable_games_create_no_database(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "games.pdn").write_text(text)
    done = run("import", "games.pdn")
    assert done.returncode == 1
    first, last = done.stderr.splitlines()
    assert first.startswith("arena: games.pdn: ")
    assert last == "arena: no game could be read, so nothing is recorded"
    assert [file.name for file in tmp_path.iterdir()] == ["games.pdn"]


def test_a_missing_file_stops_before_anything_is_recorded(run: Run, tmp_path: Path, mixed: str) -> None:
    done = run("import", mixed, "gone.pdn")
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert line.startswith("arena: gone.pdn: cannot be opened: ")
    assert [file.name for file in tmp_path.iterdir()] == [mixed]


def test_export_writes_what_pydraughts_and_we_can_read(run: Run, tmp_path: Path, mixed: str) -> None:
    run("import", mixed)
    done = run("export", "-o", "out.pdn")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "2 games written to out.pdn\n")
    first, second = pdn.read(tmp_path / "out.pdn")
    assert isinstance(first, pdn.PDNGame)
    assert isinstance(second, pdn.PDNGame)
    assert first.comments == ("", "", "", "0.5")
    assert second.boards[0].fen == "W:W27,32:B15,20"
    theirs = PDNReader(filename=str(tmp_path / "out.pdn")).games
    assert [game.moves for game in theirs] == [["11-15", "23-19", "8-11"], ["27-23", "20-24"]]
    assert [game.variant for game in theirs] == ["english", "english"]


def test_a_selection_is_exported(run: Run, tmp_path: Path, mixed: str) -> None:
    run("import", mixed)
    assert run("tournament", "--players", "lms,random", "--games", "4", "--seed", "1").returncode == 0
    for words, events in (
        ((), ["t1"] * 4 + ["a", "b"]),
        (("--tournament", "last"), ["t1"] * 4),
        (("--tournament", "all", "--collection", "all", "--player", "tinsley"), ["a"]),
        (("--player", "RANDOM"), ["t1"] * 4),
        (("--collection", "mixed", "--result", "1/2-1/2"), ["b"]),
    ):
        done = run("export", *words, "-o", "-")
        (tmp_path / "out.pdn").write_text(done.stdout)
        assert [
            game.tags["Event"] for game in pdn.read(tmp_path / "out.pdn") if isinstance(game, pdn.PDNGame)
        ] == events


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("import",), 2, "FILE"),
        (("import", "mixed.pdn", "--collection", "all"), 1, "cannot be named 'all'"),
        (("export",), 2, "--output"),
        (("export", "-o", "mixed.pdn"), 2, "mixed.pdn exists already"),
        (("export", "-o", "x", "--result", "2-0"), 2, "--result"),
        (("export", "-o", "x"), 1, "there is no database results/arena.sqlite"),
        (("export", "-o", "x", "--db", "a.sqlite", "--collection", "y"), 1, "no collection 'y'; it holds mixed"),
        (("export", "-o", "x", "--db", "a.sqlite", "--tournament", "y"), 1, "no tournament"),
        (("export", "-o", "x", "--db", "a.sqlite", "--player", "nobody"), 1, "a.sqlite holds no such game"),
        (("export", "-o", "nowhere/x", "--db", "a.sqlite"), 1, "'nowhere/x' cannot be written"),
    ],
)
def test_bad_input_of_import_and_export_is_a_one_line_error(
    run: Run, tmp_path: Path, mixed: str, words: tuple[str, ...], code: int, message: str
) -> None:
    (tmp_path / mixed).write_text(GOOD)
    run("import", mixed, "--db", "a.sqlite")
    done = run(*words)
    assert done.returncode == code
    [line] = done.stderr.splitlines()
    assert line.startswith("arena: ")
    assert message in line
    assert not (tmp_path / "x").exists()


def test_real_files(run: Run, real_data: Path) -> None:
    files = [real_data / "games" / name for name in ("tinsley_dev.pdn", "playstrategy_algebraic_dev.pdn")]
    done = run("import", *files)
    assert done.returncode == 0
    assert len(done.stderr.splitlines()) == 18
    assert "501 games in collection 'tinsley_dev', 1 bad" in done.stdout
    assert run("export", "--player", "tinsley", "-o", "-").stdout.count("[Event ") == 501
