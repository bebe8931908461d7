"""``arena annotate``, and annotations in ``arena results``, ``arena replay`` and ``arena export``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Run


@pytest.fixture
def game(run: Run) -> None:
    """The game people/1: 11-15, a reply, and Black resigns."""
    assert run("play", "--against", "m1", "--seed", 1, "--name", "Ann", stdin="11-15\nresign\n").returncode == 0


@pytest.mark.usefixtures("game")
def test_a_move_is_annotated_listed_replayed_exported_and_removed(run: Run) -> None:
    words = ("--mark", "?", "--better", "9-14", "--score", "-0.5", "--text", "loses", "--by", "Ann")
    added = run("annotate", "people/1", 1, *words)
    assert added.stdout == (
        "annotation 1 of ply 1, by Ann: ?, better 9-14, score -0.50, loses\nto remove it: arena annotate --remove 1\n"
    )
    assert "9-14" in run("annotate", "people/1").stdout
    [row] = json.loads(run("results", "annotations", "--json").stdout)
    assert (row["game"], row["ply"], row["mark"], row["score"]) == ("people/1", 1, "?", -0.5)
    assert "   1. black 11-15" in run("replay", "last", "--no-boards").stdout
    assert "      Ann: ?, better 9-14, score -0.50, loses\n" in run("replay", "last", "--no-boards").stdout
    assert "1. 11-15? {better 9-14, score -0.50, loses}" in run("export", "-o", "-").stdout
    assert run("annotate", "--remove", 1).stdout == "annotation 1 is removed\n"
    assert run("annotate", "people/1").stderr == "there are no annotations of people/1\n"


@pytest.mark.usefixtures("game")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a game and a ply, for example: arena annotate last 5 --mark '?'"),
        (("last", "--mark", "!"), "name the ply that you want to annotate: arena annotate last PLY ..."),
        (("last", 1), "an annotation has a mark, a better move, a score or a comment"),
        (("last", 9, "--mark", "!"), "the game has the plies 1 to 2, and 0 for its first board, not 9"),
        (("last", 1, "--mark", "good"), "a mark is one of !, ?, !!, ??, !?, ?!, not 'good'"),
        (("last", 1, "--better", "11-15"), "11-15 is the move that was played: a better move is another one"),
        (("last", 1, "--remove", 1), "--remove takes the number of an annotation alone: leave out GAME"),
        (("--remove", 7), "holds no annotation 7; arena results annotations lists them"),
    ],
)
def test_mistakes_are_one_line_errors(run: Run, words: tuple[object, ...], message: str) -> None:
    result = run("annotate", *words)
    assert result.returncode != 0
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_hostile_comments_of_pdn_files_cannot_control_the_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "games.pdn").write_text("1. 11-15 {a\x1b[2Jb} *\n")
    assert run("import", "games.pdn").returncode == 0
    listed = run("results", "annotations", "--collection", "games").stdout
    assert "\x1b" not in listed
    assert "a\N{REPLACEMENT CHARACTER}[2Jb" in listed
