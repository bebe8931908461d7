"""``arena results``: rows of one kind, and its options."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arena.cli.app import run
from arena.errors import UsageError
from arena.store import Results
from recorded_games import REASON, SEED, recorded, text_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("metrics --tournament x", "metrics takes no --tournament: it takes --run, --opponent, --limit, --db, --json"),
        ("metrics --player x", "metrics takes no --player: it takes --run, "),
        ("positions --termination crash", "positions takes no --termination: it takes --tournament, --game, --limit, "),
        ("--limit 3", "the report takes no --limit: it takes --tournament, "),
        ("checkpoints --tournament last", "checkpoints takes no --tournament: it takes --run, "),
        (
            "standings --run x",
            "standings takes no --run: it takes --tournament, --player, --limit, --db, --json, --csv",
        ),
        ("--run x", "the report takes no --run: it takes --tournament, "),
        ("tournaments --tournament x", "tournaments takes no --tournament: it takes --limit, --db, --json, --csv"),
        ("runs --run x", "runs takes no --run: it takes --limit, --db, --json, --csv"),
        ("models --run last", "models takes no --run: it takes --limit, --db, --json, --csv"),
        ("--spec --json", "--spec takes no --json: it takes --tournament, --db"),
        ("--spec --run x", "--spec takes no --run: it takes --tournament, --db"),
        ("standings --game test/1", "standings takes no --game: it takes --tournament, "),
        ("games --spec", "--spec takes no KIND: it takes --tournament, --db"),
    ],
)
def test_options_without_effect_are_refused(tmp_path: Path, words: str, line: str) -> None:
    recorded(tmp_path / "x.sqlite", "ab", ["a>b"])
    with pytest.raises(UsageError) as raised:
        run(["results", *words.split(), "--db", str(tmp_path / "x.sqlite")])
    assert str(raised.value).startswith(line)


@pytest.mark.parametrize(
    "words", ["", "metrics --run all", "standings --tournament test --csv", "tournaments --json", "--tournament 1"]
)
def test_options_with_effect_are_accepted(tmp_path: Path, words: str) -> None:
    recorded(tmp_path / "x.sqlite", "ab", ["a>b"])
    assert run(["results", *words.split(), "--db", str(tmp_path / "x.sqlite")]) == 0


def test_reason_of_a_forfeit_is_in_json_and_csv_and_its_last_line_in_forfeits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "ab", ["a!b", "b>a"])
    assert [row["reason"] for row in json.loads(text_of(capsys, path, "games", "--json"))] == [REASON.format("b"), None]
    assert "KeyError: b" in text_of(capsys, path, "games", "--csv")
    table = text_of(capsys, path, "forfeits")
    assert "KeyError: b" in table
    assert "Traceback" not in table


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
    table = text_of(capsys, path, "tournaments")
    assert "started (UTC)\n" in table
    assert "  2009-02-13 23:31:30\n" in table
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


def test_piped_tables_are_neither_cut_nor_padded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "abc", ["a>b", "b=a", "c!a"])
    spec = "td:weights=" + "/very/long/folder" * 12
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE players SET spec = ? WHERE spec = 'a'", (spec,))
        connection.commit()
    monkeypatch.delenv("COLUMNS", raising=False)
    for words in ((), ("games",), ("standings",), ("superiority",)):
        text = text_of(capsys, path, *words)
        assert spec in text
        assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_games_are_selected_by_player_opponent_termination_and_limit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "abc", ["a>b", "b!a", "a!c", "c>a", "b=c"])

    def names(*words: str) -> list[str]:
        return [row["name"] for row in json.loads(text_of(capsys, path, "games", *words, "--json"))]

    # Five games are numbered for each pairing: a vs b from 1, a vs c from 6, b vs c from 11 on.
    assert names() == ["test/1", "test/2", "test/8", "test/9", "test/15"]
    assert names("--player", "a") == ["test/1", "test/2", "test/8", "test/9"]
    assert names("--player", "c", "--opponent", "a") == ["test/8", "test/9"]
    assert names("--termination", "exception") == ["test/2", "test/8"]
    assert names("--termination", "no-moves", "--limit", "2") == ["test/1", "test/9"]
    assert names("--termination", "crash") == []
    for words, line in (
        (("--player", "d"), "no row has a player 'd'; there are a, b, c"),
        (("--termination", "craash"), "no game ends by 'craash'; did you mean 'crash'?"),
    ):
        with pytest.raises(UsageError, match=re.escape(line)):
            run(["results", "games", *words, "--db", str(path)])


def test_a_player_is_selected_by_its_spec_or_a_part_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.sqlite"
    recorded(path, "abc", ["a>b", "b=c", "a=c"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE players SET spec = 'lms' WHERE spec = 'a'")
        connection.execute("UPDATE players SET spec = 'lms:depth=2' WHERE spec = 'b'")
        connection.commit()

    def players(wanted: str) -> set[str]:
        return {row["player"] for row in json.loads(text_of(capsys, path, "standings", "--player", wanted, "--json"))}

    assert players("lms") == {"lms"}
    assert players("LM") == {"lms", "lms:depth=2"}
    assert players("depth=2") == {"lms:depth=2"}
