"""Evenings of a ladder: who takes part, which games are played, and what the pages tell."""

from __future__ import annotations

import contextlib
import io
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pandas as pd
import pytest

import arena
from arena.cli import app
from arena.errors import ArenaError, UsageError
from launchers import module_launcher
from pages import Reader

if TYPE_CHECKING:
    from pathlib import Path

    from launchers import SharedLauncher

__all__ = ["module_launcher"]
PLAYER = """
import arena

class Mine(arena.Player):
    def choose(self, game):
        return game.board.legal_moves[{}]
"""
RAISES = "import arena\n\nclass Ben(arena.Player):\n    def choose(self, game):\n        return 1 // 0\n"
COLUMNS = ["pairing", "round", "game", "moves", "result", "reason"]


@dataclass
class Class:
    """A class with its folder of hand-ins, and what each evening printed."""

    folder: Path
    outputs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def hand_in(self, name: str, code: str) -> None:
        path = self.folder / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(code)
        os.utime(path, (self.clock, self.clock))

    @property
    def clock(self) -> int:
        """A time that is later each evening."""
        return 1_000_000 + 1000 * len(self.outputs)

    def evening(self, *words: str) -> None:
        words = ("ladder", "class", "--against", "random", "--games", "2", "--workers", "1", *words)
        with (
            contextlib.chdir(self.folder),
            contextlib.redirect_stdout(io.StringIO()) as output,
            contextlib.redirect_stderr(io.StringIO()) as errors,
        ):
            app.run([*words, "--positions", "0"])
        self.outputs.append(output.getvalue())
        self.errors.append(errors.getvalue())

    def games(self, tournament: str) -> pd.DataFrame:
        with arena.Results(self.folder / "results" / "arena.sqlite") as results:
            return results.games(tournament)[COLUMNS].set_index(["pairing", "round"])

    def page(self, name: str) -> Reader:
        return Reader((self.folder / "ladder" / name).read_text())


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory, module_launcher: SharedLauncher) -> Class:  # noqa: ARG001
    """A class after three evenings; no student has handed in anything new on the third."""
    school = Class(tmp_path_factory.mktemp("school"))
    school.hand_in("anna.py", PLAYER.format(0))
    school.hand_in("ben/first.py", RAISES)
    school.hand_in("carl.py", "def")
    school.evening("--seed", "5")
    school.hand_in("ben/second.py", PLAYER.format(-1).replace("import arena", "import arena, helper"))
    school.hand_in("ben/helper.py", "")
    school.hand_in("dora.py", PLAYER.format("len(game.board.legal_moves) // 2"))
    school.evening()
    school.evening()
    return school


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory, module_launcher: SharedLauncher) -> Class:  # noqa: ARG001
    """Another class after two evenings; on the second, the number of games is larger."""
    fresh = Class(tmp_path_factory.mktemp("fresh"))
    fresh.hand_in("anna.py", PLAYER.format(0))
    fresh.hand_in("ben/first.py", RAISES)
    fresh.hand_in("dora.py", PLAYER.format("len(game.board.legal_moves) // 2"))
    fresh.evening("--seed", "5")
    fresh.evening("--games", "4")
    return fresh


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one.fillna(""), other.fillna(""), check_dtype=False)


def test_latest_hand_in_of_each_student_takes_part(school: Class) -> None:
    assert set(school.page("index.html").column("standings", "player")) == {"random", "anna", "ben", "dora"}
    assert school.page("index.html").tables["left-out"][1:] == [
        ["carl", "carl.py", "carl.py cannot be imported: line 1: SyntaxError: invalid syntax"]
    ]
    assert "left out: carl: carl.py cannot be imported: line 1: SyntaxError: invalid syntax\n" in school.errors[0]


def test_only_missing_games_are_played(school: Class) -> None:
    assert "'ladder', seed 5: 6 games, 6 of them to play" in school.errors[0]
    assert "'ladder-2', seed 5: 12 games, 10 of them to play" in school.errors[1]
    assert "'ladder-2', seed 5: 12 games, 0 of them to play" in school.errors[2]


def test_games_of_unchanged_hand_ins_stay_the_same(school: Class) -> None:
    before, after = school.games("ladder").loc["anna vs random"], school.games("ladder-2").loc["anna vs random"]
    same(before, after)


def test_games_of_an_older_hand_in_stay_on_record(school: Class) -> None:
    assert set(school.games("ladder").loc["ben vs random"]["reason"].str.count("ZeroDivisionError")) == {1}
    assert school.games("ladder-2").loc["ben vs random"]["reason"].isna().all()


def test_copied_games_are_those_that_would_be_played(school: Class, fresh: Class) -> None:
    names = ["anna vs random", "anna vs dora", "dora vs random"]
    same(fresh.games("ladder").loc[names], school.games("ladder-2").loc[names])


def test_standings_are_the_same_as_csv(school: Class) -> None:
    table = pd.read_csv(school.folder / "ladder" / "standings.csv")
    assert list(table["player"]) == school.page("index.html").column("standings", "player")
    assert set(table["games"]) == {6}


def test_feedback_names_forfeits_and_their_positions(fresh: Class) -> None:
    page = fresh.page("students/ben.html")
    [reason] = [text for text in page.texts["pre"] if "ZeroDivisionError" in text]
    assert 'File "first.py", line 5, in choose' in reason
    assert re.search("^position: [BW]:W", reason, re.MULTILINE)
    assert len(page.texts["h3"]) == 1  # all forfeits are of one kind
    assert page.column("opponents", "won-drawn-lost") == ["0-0-4"] * 3


def test_feedback_on_a_hand_in_that_cannot_play_has_its_error(school: Class) -> None:
    page = school.page("students/carl.html")
    assert "carl.py cannot be imported: line 1: SyntaxError: invalid syntax" in page.texts["pre"]
    assert "opponents" not in page.tables


def test_links_between_pages_lead_to_files(school: Class) -> None:
    for name in ("index.html", "students/anna.html", "students/carl.html"):
        links = [value for tag, key, value in school.page(name).attributes if key == "href" and value[0] != "#"]
        assert links
        for link in links:
            assert (school.folder / "ladder" / name).parent.joinpath(link).is_file()


def test_larger_number_of_games_keeps_the_earlier_ones(fresh: Class) -> None:
    assert "'ladder-2', seed 5: 24 games, 12 of them to play" in fresh.errors[1]
    games = fresh.games("ladder")
    same(games, fresh.games("ladder-2").loc[games.index])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("none",), "there is no folder none"),
        (("empty",), "no hand-in can take part"),
        (("class", "--against", "nobody"), "no player named 'nobody'"),
        (("class", "--games", "3"), "games must be an even number"),
        (("class", "--output", "class/anna.py"), "class/anna.py is not a folder"),
    ],
)
def test_bad_input_is_one_line(
    school: Class, words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (school.folder / "empty").mkdir(exist_ok=True)
    monkeypatch.chdir(school.folder)
    with pytest.raises((UsageError, ArenaError), match=f"^{message}") as error:
        app.run(["ladder", *words, "--quiet", "--positions", "0"])
    assert "\n" not in str(error.value)
