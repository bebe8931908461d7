"""The report of a tournament, which ``arena results`` prints without further words."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.cli.app import run
from arena.cli.report import report
from arena.store import Results
from recorded_games import REASON, recorded, text_of

PERFECT = "!: the player won all its games or lost all of them"
APART = "[1], [2]: only ratings with the same number in brackets can be compared"
UNRATED = "-: the player has no rating"
RESUME = "arena tournament --resume test"


@pytest.mark.parametrize(
    ("players", "results", "marks", "lines"),
    [
        ("ab", ["a>b", "b>a"], {"a": "", "b": ""}, []),
        ("ab", ["a>b", "a=b"], {"a": "", "b": ""}, []),
        ("ab", ["a>b", "a>b"], {"a": "!", "b": "!"}, [PERFECT]),
        ("abc", ["a=b", "a>c", "b>c"], {"a": "", "b": "", "c": "!"}, [PERFECT]),
        ("abcd", ["a=b", "c=d"], {"a": "[1]", "b": "[1]", "c": "[2]", "d": "[2]"}, [APART]),
        ("abcd", ["a>b", "c=d"], {"a": "[1]!", "b": "[1]!", "c": "[2]", "d": "[2]"}, [PERFECT, APART]),
        ("abcd", ["a=b", "c=d", "a>c", "b>d"], {"a": "[1]", "b": "[1]", "c": "[2]", "d": "[2]"}, [APART]),
        (
            "abcdef",
            ["a=b", "c=d", "a>c", "e=f"],
            {"a": "[1.1]", "b": "[1.1]", "c": "[1.2]", "d": "[1.2]", "e": "[2]", "f": "[2]"},
            [APART],
        ),
        ("abc", ["a=b", "c!a"], {"a": "", "b": "", "c": "-"}, [UNRATED]),
        ("abc", ["a=b"], {"a": "", "b": "", "c": "-"}, [UNRATED]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and value and len(value[0]) == 3 else "",
)
def test_report_marks_ratings_that_games_do_not_support(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    players: str,
    results: list[str],
    marks: dict[str, str],
    lines: list[str],
) -> None:
    recorded(tmp_path / "x.sqlite", players, results)
    with Results(tmp_path / "x.sqlite") as stored:
        report(stored, "test")
    text = capsys.readouterr().out
    table = text.partition("head to head")[0].splitlines()
    cells = {row[1]: row[2:] for line in table if len(row := line.split()) > 2 and row[1] in marks}
    for player, mark in marks.items():
        if mark == "-":
            assert cells[player][0] == "-"
        else:  # +12 ± 34 [1]! 5-0-1 ...
            assert (cells[player][3] == mark) if mark else cells[player][3].count("-") == 2
    assert "nan" not in text
    assert [line for line in (PERFECT, APART, UNRATED) if line in text] == lines


def test_player_without_rated_games_has_no_rating_in_any_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "abc", ["a>b", "b=a", "c!a"])
    with Results(path) as stored:
        standings = stored.standings("test").set_index("player")
        assert standings["rating"].notna().to_dict() == {"a": True, "b": True, "c": False}
        assert standings["rating_error"].notna().to_dict() == {"a": True, "b": True, "c": False}
        assert standings["games"].to_dict() == {"a": 3, "b": 2, "c": 1}
        assert sorted(stored.ratings("test")["player"]) == ["a", "b"]
        assert stored.components("test").set_index("player").loc["c", "note"] == "no rated games"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT rating FROM v_standings WHERE player = 'c'").fetchall() == [(None,)]
    for form in ("--json", "--csv"):
        assert run(["results", "standings", "--db", str(path), form]) == 0
    as_json, as_csv = capsys.readouterr().out.split("]\n")
    assert json.loads(f"{as_json}]")[-1]["rating"] is None
    assert as_csv.splitlines()[-1].startswith("3,c,,,1,")


def test_report_says_if_ratings_are_older_than_the_last_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b", "b>a"])

    def text() -> str:
        with Results(path) as stored:
            report(stored, "test")
        return capsys.readouterr().out

    assert "older" not in text()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE ratings SET games = 1")
        connection.commit()
    assert f"The ratings are older than the last games. To rate again:\n    {RESUME} --db {path}\n" in text()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE ratings SET system = 'glicko2'")
        connection.commit()
    assert "nan" not in text()


def test_the_report_groups_forfeits_by_player_and_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "abc", ["a>b", "a!b", "a!c", "b!c", "a!b", "a=b"])
    text = text_of(capsys, path)
    # Six games are numbered for each pairing: a vs b from 1, a vs c from 7, b vs c from 13 on.
    assert text.partition("forfeits:\n\n")[2].splitlines()[:7] == [
        "a: 2 by exception: KeyError: b",
        f"    arena replay test/2 --db {path}",
        "a: 1 by exception: KeyError: c",
        f"    arena replay test/9 --db {path}",
        "b: 1 by exception: KeyError: c",
        f"    arena replay test/16 --db {path}",
        "",
    ]
    assert run(["replay", "test/16", "--no-boards", "--db", str(path)]) == 0
    assert capsys.readouterr().out.endswith(REASON.format("c") + "\n")
    rows = json.loads(text_of(capsys, path, "forfeits", "--json"))
    assert [row["example"] for row in rows] == ["test/2", "test/9", "test/16"]


def test_report_shows_the_ten_most_frequent_forfeits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, names = tmp_path / "x.sqlite", "abcdefghijklm"
    recorded(path, names, [f"a!{other}" for other in names[1:]])
    lines = text_of(capsys, path).partition("forfeits:\n\n")[2].splitlines()
    assert lines[20:22] == ["and 2 more:", f"    arena results forfeits --tournament test --db {path}"]
    assert len(text_of(capsys, path, "forfeits", "--csv").splitlines()) == 13


def test_report_without_forfeits_does_not_mention_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(tmp_path / "x.sqlite", "ab", ["a>b"])
    assert "forfeits:" not in text_of(capsys, tmp_path / "x.sqlite")


def test_unfinished_tournaments_are_marked_in_every_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b", "b>a"], planned=120)
    report = text_of(capsys, path)
    assert "test: standings after 2 of 120 games\n" in report
    end = f"The tournament is unfinished: 2 of 120 games are on record. To play the others:\n    {RESUME} --db {path}\n"
    assert end in report
    assert " 2 of 120 " in text_of(capsys, path, "tournaments")
    [row] = json.loads(text_of(capsys, path, "tournaments", "--json"))
    assert (row["games"], row["planned"]) == (2, 120)
    for kind in ("standings", "head-to-head", "games", "ratings"):
        assert run(["results", kind, "--json", "--db", str(path)]) == 0
        shown = capsys.readouterr()
        assert json.loads(shown.out)
        assert shown.err == "tournament 'test' is unfinished: 2 of 120 games are on record\n"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name, games, planned FROM v_tournaments").fetchall() == [("test", 2, 120)]


@pytest.mark.parametrize("planned", [2, None], ids=["finished", "unknown"])
def test_a_finished_tournament_is_not_called_unfinished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], planned: int | None
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b", "b>a"], planned)
    for words in ((), ("tournaments",), ("games",)):
        assert run(["results", *words, "--db", str(path)]) == 0
        shown = capsys.readouterr()
        assert "unfinished" not in shown.out + shown.err
        assert "of 2" not in shown.out


LONG = "minimax:depth=6:evaluator=[patterns:weights=@0123456789abcdef0123456789abcdef]"


def widest(text: str) -> int:
    """The longest line that is not an indented command."""
    return max(len(line) for line in text.splitlines() if not line.startswith("    "))


@pytest.mark.parametrize("number", [2, 5, 12])
def test_tables_fit_in_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    names = [LONG, "random", *(f"lms:weights=@{i:032x}:depth={i + 1}" for i in range(10))][:number]
    letters = "abcdefghijkl"[:number]
    monkeypatch.chdir(tmp_path)
    path = Path("x.sqlite")
    pairs = [(a, b) for i, a in enumerate(letters) for b in letters[i + 1 :]]
    recorded(path, letters, [result for a, b in pairs for result in (f"{a}>{b}", f"{b}={a}", f"{b}!{a}")])
    with closing(sqlite3.connect(path)) as connection:
        for letter, name in zip(letters, names, strict=True):
            connection.execute("UPDATE players SET spec = ? WHERE spec = ?", (name, letter))
        connection.commit()
    monkeypatch.setenv("COLUMNS", "80")
    report = text_of(capsys, path)
    assert widest(report) <= 80
    for part in ("minimax", ":depth=6", "@0123456789", "random"):
        assert part in report
    for kind in (
        "standings",
        "head-to-head",
        "superiority",
        "games",
        "forfeits",
        "positions",
        "ratings",
        "tournaments",
    ):
        table = text_of(capsys, path, kind)
        assert widest(table) <= 80
        assert [line for line in table.splitlines() if line != line.rstrip()] == []


def test_head_to_head_numbers_the_opponents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(tmp_path / "x.sqlite", "abc", ["a>b", "b=a", "a>c", "c>b"])
    table = text_of(capsys, tmp_path / "x.sqlite").partition("head to head: ")[2].splitlines()[2:7]
    assert [line.split() for line in table[:1] + table[2:]] == [
        ["player", "1", "2", "3"],
        ["1", "a", "1-0-0", "1-1-0"],
        ["2", "c", "0-0-1", "1-0-0"],
        ["3", "b", "0-1-1", "0-0-1"],
    ]


def test_standings_have_forfeits_only_if_there_are_any(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(tmp_path / "x.sqlite", "ab", ["a>b", "b=a"])
    recorded(tmp_path / "y.sqlite", "ab", ["a>b", "b!a"])
    assert "forfeits" not in text_of(capsys, tmp_path / "x.sqlite", "standings")
    assert "forfeits" in text_of(capsys, tmp_path / "y.sqlite", "standings")
    assert " 1-1-0 " in text_of(capsys, tmp_path / "x.sqlite", "standings")
