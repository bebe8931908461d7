"""The report of a tournament: which ratings it marks, and how it says so."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arena.cli.app import run
from arena.cli.results import report
from arena.errors import UsageError
from arena.ratings.davidson import Davidson
from arena.record import GameRecord
from arena.store import PlayerIdentity, Results, Store

if TYPE_CHECKING:
    from pathlib import Path

PERFECT = "!: nothing but wins, or nothing but losses"
APART = "[1], [2], ...: points went one way only between these, or none did"
UNRATED = "-: no rating without a game"


def recorded(path: Path, players: str, results: list[str]) -> None:
    """A tournament of players of one letter; ``a>b``: Black, a, wins; ``a=b``: a draw; ``a!b``: Black forfeits."""
    with Store.open(path) as store:
        seats = [PlayerIdentity(player, player, "test", "1") for player in players]
        tournament = store.create_tournament("test", 1, {}, seats)
        with store.recorder(tournament.id) as recorder:
            for number, (black, how, white) in enumerate(results):
                recorder.add(
                    GameRecord(
                        pairing=" vs ".join(sorted((black, white))),
                        round=number,
                        seed=number,
                        opening="",
                        black=black,
                        white=white,
                        first="black",
                        boards=bytes(12),
                        movetext="",
                        result={">": "1-0", "=": "1/2-1/2", "!": "0-1"}[how],
                        termination="exception" if how == "!" else "no moves",
                        guilty="black" if how == "!" else None,
                    )
                )
        table = Davidson().rate(list(players), store.rated_games(tournament.id))
        store.save_ratings(tournament.id, "davidson", table)


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
def test_ratings_that_results_do_not_bear_out_are_marked(
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
    cells = {row[0]: row[2:] for line in table if (row := line.split()) and row[0] in marks}
    for player, mark in marks.items():
        if mark == "-":
            assert cells[player][0] == "-"
        else:  # +12 ± 34 [1]! 5 games ...
            assert (cells[player][3] == mark) if mark else cells[player][3].isdecimal()
    assert "nan" not in text
    assert [line for line in (PERFECT, APART, UNRATED) if line in text] == lines


def test_who_has_no_rated_games_has_no_rating_in_any_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "abc", ["a>b", "b=a", "c!a"])
    with Results(path) as stored:
        standings = stored.standings("test").set_index("player")
        assert standings["rating"].notna().to_dict() == {"a": True, "b": True, "c": False}
        assert standings["rating_error"].notna().to_dict() == {"a": True, "b": True, "c": False}
        assert standings["games"].to_dict() == {"a": 3, "b": 2, "c": 1}
        assert sorted(stored.ratings("test")["player"]) == ["a", "b"]
        assert stored.pools("test").set_index("player").loc["c", "note"] == "no rated games"
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT rating FROM v_standings WHERE player = 'c'").fetchall() == [(None,)]
    for form in ("--json", "--csv"):
        assert run(["results", "standings", "--db", str(path), form]) == 0
    as_json, as_csv = capsys.readouterr().out.split("]\n")
    assert json.loads(f"{as_json}]")[-1]["rating"] is None
    assert as_csv.splitlines()[-1].startswith("3,c,,,1,")


def test_ratings_that_do_not_know_the_last_games_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
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
    assert "the ratings are older than the last games: arena tournament --resume test rates again" in text()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE ratings SET system = 'glicko2'")
        connection.commit()
    assert "nan" not in text()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("metrics --tournament x", "metrics takes no --tournament: it takes --run, --db, --json, --csv"),
        ("checkpoints --tournament last", "checkpoints takes no --tournament: it takes --run, "),
        ("standings --run x", "standings takes no --run: it takes --tournament, --db, --json, --csv"),
        ("--run x", "the report takes no --run: it takes --tournament, "),
        ("tournaments --tournament x", "tournaments takes no --tournament: it takes --db, --json, --csv"),
        ("runs --run x", "runs takes no --run: it takes --db, --json, --csv"),
        ("models --run last", "models takes no --run: it takes --db, --json, --csv"),
        ("--spec --json", "--spec takes no --json: it takes --tournament, --db"),
        ("--spec --run x", "--spec takes no --run: it takes --tournament, --db"),
        ("games --spec", "--spec takes no KIND: it takes --tournament, --db"),
    ],
)
def test_nothing_that_is_asked_for_is_passed_over(tmp_path: Path, words: str, line: str) -> None:
    recorded(tmp_path / "x.sqlite", "ab", ["a>b"])
    with pytest.raises(UsageError) as raised:
        run(["results", *words.split(), "--db", str(tmp_path / "x.sqlite")])
    assert str(raised.value).startswith(line)


@pytest.mark.parametrize(
    "words", ["", "metrics --run all", "standings --tournament test --csv", "tournaments --json", "--tournament 1"]
)
def test_what_has_a_meaning_is_taken(tmp_path: Path, words: str) -> None:
    recorded(tmp_path / "x.sqlite", "ab", ["a>b"])
    assert run(["results", *words.split(), "--db", str(tmp_path / "x.sqlite")]) == 0
