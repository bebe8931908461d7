"""The report of a tournament: which ratings it marks, and how it says so."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arena.cli.app import run
from arena.cli.results import report
from arena.contracts.record import GameRecord
from arena.errors import UsageError
from arena.ratings.davidson import Davidson
from arena.store import PlayerIdentity, Results, Store

if TYPE_CHECKING:
    from pathlib import Path

PERFECT = "!: nothing but wins, or nothing but losses"
APART = "[1], [2], ...: points went one way only between these, or none did"
UNRATED = "-: no rating without a game"


SEED = 2**63 - 9
"""Rounded by whoever takes it for a float."""
REASON = 'Traceback (most recent call last):\n  File "greedy.py", line 7, in choose\nKeyError: {}'


def recorded(path: Path, players: str, results: list[str], planned: int | None = None) -> None:
    """A tournament of players of one letter; ``a>b``: Black, a, wins; ``a=b``: a draw; ``a!b``: Black forfeits.

    All its games are of one stage, and those of a pairing follow one another.
    """
    with Store.open(path) as store:
        seats = [PlayerIdentity(player, player, "test", "1") for player in players]
        tournament = store.create_tournament("test", SEED, {}, seats, planned)
        store.schedule(tournament.id, {" vs ".join(sorted(result[::2])) for result in results}, len(results))
        with store.recorder(tournament.id) as recorder:
            for number, (black, how, white) in enumerate(results):
                recorder.add(
                    GameRecord(
                        pairing=" vs ".join(sorted((black, white))),
                        round=number,
                        seed=SEED - number,
                        opening="",
                        black=black,
                        white=white,
                        first="black",
                        boards=bytes(12),
                        movetext="",
                        result={">": "1-0", "=": "1/2-1/2", "!": "0-1"}[how],
                        termination="exception" if how == "!" else "no moves",
                        forfeited_by="black" if how == "!" else None,
                        reason=REASON.format(white) if how == "!" else None,
                    )
                )
        table = Davidson().rate(list(players), store.rated_games(tournament.id))
        store.save_ratings(tournament.id, "davidson", table, 0)


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
        assert stored.components("test").set_index("player").loc["c", "note"] == "no rated games"
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
        ("standings --game test/1", "standings takes no --game: it takes --tournament, "),
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


def text_of(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    """What ``arena results`` prints."""
    assert run(["results", *words, "--db", str(path)]) == 0
    return capsys.readouterr().out


def test_forfeits_are_reported_by_player_and_reason_with_the_first_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "abc", ["a>b", "a!b", "a!c", "b!c", "a!b", "a=b"])
    text = text_of(capsys, path)
    # Six games are numbered for each pairing: a vs b from 1, a vs c from 7, b vs c from 13 on.
    assert text.partition("forfeits:\n")[2].splitlines()[:4] == [
        f"    a: 2 \N{MULTIPLICATION SIGN} exception: KeyError: b (arena replay test/2 --db {path})",
        f"    a: 1 \N{MULTIPLICATION SIGN} exception: KeyError: c (arena replay test/9 --db {path})",
        f"    b: 1 \N{MULTIPLICATION SIGN} exception: KeyError: c (arena replay test/16 --db {path})",
        "",
    ]
    assert run(["replay", "test/16", "--no-boards", "--db", str(path)]) == 0
    assert capsys.readouterr().out.endswith(REASON.format("c") + "\n")
    rows = json.loads(text_of(capsys, path, "forfeits", "--json"))
    assert [row["example"] for row in rows] == ["test/2", "test/9", "test/16"]


def test_many_kinds_of_forfeits_are_cut_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, names = tmp_path / "x.sqlite", "abcdefghijklm"
    recorded(path, names, [f"a!{other}" for other in names[1:]])
    lines = text_of(capsys, path).partition("forfeits:\n")[2].splitlines()
    assert lines[10] == f"    and 2 more: arena results forfeits --tournament test --db {path}"
    assert len(text_of(capsys, path, "forfeits", "--csv").splitlines()) == 13


def test_a_tournament_without_forfeits_says_nothing_of_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded(tmp_path / "x.sqlite", "ab", ["a>b"])
    assert "forfeits:" not in text_of(capsys, tmp_path / "x.sqlite")


def test_the_reason_is_a_column_of_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a!b", "b>a"])
    assert [row["reason"] for row in json.loads(text_of(capsys, path, "games", "--json"))] == [REASON.format("b"), None]
    assert "KeyError: b" in text_of(capsys, path, "games", "--csv")
    table = text_of(capsys, path, "games")
    assert "KeyError: b" in table
    assert "Traceback" not in table


def test_an_unfinished_tournament_says_so_wherever_it_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b", "b>a"], planned=120)
    report = text_of(capsys, path)
    assert "test: standings after 2 of 120 games\n" in report
    resume = f"arena tournament --resume test --db {path}"
    assert f"the tournament is unfinished: 2 of 120 games are on record; {resume} plays the others\n" in report
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
def test_a_tournament_that_is_not_known_to_be_unfinished_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], planned: int | None
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b", "b>a"], planned)
    for words in ((), ("tournaments",), ("games",)):
        assert run(["results", *words, "--db", str(path)]) == 0
        shown = capsys.readouterr()
        assert "unfinished" not in shown.out + shown.err
        assert "of 2" not in shown.out


def test_ids_and_seeds_are_strings_for_other_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b", "b>a"])
    ids = [str(SEED), str(SEED - 1)]
    games = json.loads(text_of(capsys, path, "games", "--json"), parse_int=float)
    assert [row["game"] for row in games] == [row["seed"] for row in games] == ids
    assert [row["game"] for row in json.loads(text_of(capsys, path, "positions", "--json"), parse_int=float)] == ids
    assert json.loads(text_of(capsys, path, "tournaments", "--json"), parse_int=float)[0]["seed"] == ids[0]
    assert [row.split(",")[0] for row in text_of(capsys, path, "games", "--csv").splitlines()[1:]] == ids
    with Results(path) as stored:
        assert stored.games("test")["game"].tolist() == [SEED, SEED - 1]


def test_times_are_given_to_the_second(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE tournaments SET started = 1234567890.987654321")
        connection.commit()
    assert "2009-02-13 23:31:30+00:00" in text_of(capsys, path, "tournaments")
    assert text_of(capsys, path, "tournaments", "--csv").splitlines()[1].endswith(",2009-02-13 23:31:30+00:00")
    assert json.loads(text_of(capsys, path, "tournaments", "--json"))[0]["started"] == "2009-02-13T23:31:30Z"


def test_one_game_is_shown_by_its_name_wherever_its_id_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a>b", "b>a"])
    assert "test/2" in text_of(capsys, path, "games")
    for which in ("test/2", "last/2", str(SEED - 1)):
        for kind in ("games", "positions"):
            [row] = json.loads(text_of(capsys, path, kind, "--game", which, "--json"))
            assert row["game"] == str(SEED - 1)
        assert run(["replay", which, "--db", str(path)]) == 0
        assert capsys.readouterr().out.startswith(f"game test/2 (id {SEED - 1}): black b, white a")
        assert run(["export", "-o", "-", "--game", which, "--db", str(path)]) == 0
        assert '[Black "b"]' in capsys.readouterr().out
