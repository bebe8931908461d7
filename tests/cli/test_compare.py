"""``arena compare``, and tournaments as files."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from databases import contents

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

TOML = """
players = ["random", "m1", "minimax:depth=2"]
format = "knockout"
games = 8
seed = 4
openings = "2move"
nodes = 200
clock = "30+0.5"
[rules]
ply-cap = 100
quiet-plies = false
"""


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        found = connection.execute(query).fetchall()
    connection.close()
    return found


def test_a_match_ends_when_the_test_decides(run: Run, tmp_path: Path) -> None:
    done = run("compare", "m1", "random", "--sprt", "0,60", "--seed", "3", "--games", "400")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("m1 against random: H1 is accepted: the difference is 60 rather than 0 normalized")
    assert "LLR +" in done.stdout
    assert "score 100.00 % in every pair" in done.stdout
    assert "inf" not in done.stdout
    [(games, rounds)] = rows(tmp_path / "results" / "arena.sqlite", "select count(*), max(round) + 1 from games")
    assert games == rounds
    assert 2 <= int(str(games)) < 100
    assert done.stdout.splitlines()[1] == f"after {games} games: {games} won, 0 drawn, 0 lost"
    # The match is finished after fewer games than --games allows, because the test has decided.
    assert rows(tmp_path / "results" / "arena.sqlite", "select planned from tournaments") == [(games,)]
    again = run("tournament", "--resume", "t1")
    assert again.returncode == 0
    assert rows(tmp_path / "results" / "arena.sqlite", "select count(*) from games") == [(games,)]


def test_a_match_can_be_played_again_from_its_file(run: Run, tmp_path: Path) -> None:
    words = ("--sprt=-0.1,60.123456789", "--alpha", "0.1", "--beta", "0.07", "--logistic", "--games", "100")
    done = run("compare", "m1", "random", *words, "--seed", "3", "--db", "one.sqlite")
    assert done.returncode == 0, done.stderr
    spec = run("results", "--spec", "--db", "one.sqlite").stdout
    for line in ('sprt = "-0.1,60.123456789"', "alpha = 0.1", "beta = 0.07", "logistic = true"):
        assert line in spec.splitlines()
    (tmp_path / "match.toml").write_text(spec, encoding="utf-8")
    again = run("tournament", "match.toml", "--db", "two.sqlite")
    assert again.returncode == 0, again.stderr
    assert done.stdout.partition("recorded")[0] in again.stdout
    assert contents(tmp_path / "one.sqlite") == contents(tmp_path / "two.sqlite")


def test_an_undecided_match_is_reported_as_undecided(run: Run) -> None:
    done = run("compare", "random", "m1", "--sprt", "-5,5", "--games", "4")
    assert "undecided" in done.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--sprt", "5"), "takes two differences"),
        (("--sprt", "5,0"), "smaller one"),
        (("--sprt", "0,inf"), "between -200 and 200 normalized Elo"),
        (("--sprt", "0,2000", "--logistic"), "between -1000 and 1000 logistic Elo"),
        (("--alpha", "0.7"), "between 0 and 0.5"),
        (("--games", "3"), "even number"),
    ],
)
def test_players_that_cannot_be_compared_are_refused(run: Run, words: tuple[str, ...], complaint: str) -> None:
    done = run("compare", "random", "m1", *words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_sets_options_that_the_command_line_does_not(run: Run, tmp_path: Path) -> None:
    (tmp_path / "spec.toml").write_text(TOML, encoding="utf-8")
    done = run("tournament", "spec.toml", "--games", "4", "--name", "cup")
    assert done.returncode == 0, done.stderr
    database = tmp_path / "results" / "arena.sqlite"
    assert rows(database, "select count(*), max(plies) <= 100 from games") == [(8, 1)]
    written = run("results", "--spec").stdout
    assert 'players = ["random", "m1", "minimax:depth=2"]' in written
    assert "quiet-plies = false" in written
    assert "nodes = 200" in written
    assert 'clock = "30+0.5"' in written
    (tmp_path / "again.toml").write_text(written, encoding="utf-8")
    assert run("tournament", "again.toml", "--db", "again.sqlite").returncode == 0
    query = "select pairing, round, moves, result from games order by pairing, round"
    assert rows(tmp_path / "again.sqlite", query) == rows(database, query)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("games = 'x'", "games is a whole number"),
        ("game = 4", "there is no 'game'"),
        ("games = ", "is not a TOML file"),
        ("players = [1]", "players is a list of texts"),
        ("[rules]\nply-cap = 'a'", "ply-cap is a whole number"),
        ("[rules]\nrepetitions = 0", "repetitions is a whole number, 1 or more, or false"),
        ("adjudicate = 'friends'", "not by 'friends'"),
        ("adjudicate = 'scores:30'\n[scores]\nlms = 5", "a score threshold for 'lms', which does not play"),
        ("clock = 'long'", "60+0.5"),
        ("seconds = -1.0", "seconds is a number, more than 0, not -1.0 (Seconds that a player may search for a move)"),
        ("format = 'ladder'", "no format named 'ladder'"),
        ("sprt = '5'", "sprt takes two differences"),
        ("alpha = 0.1", "alpha is a setting of a sequential test"),
    ],
)
def test_a_bad_file_is_a_one_line_error(run: Run, tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "spec.toml").write_text(text, encoding="utf-8")
    done = run("tournament", "spec.toml", *(() if "players" in text else ("--players", "random,m1")))
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "results").exists()
