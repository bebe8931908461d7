"""Tournaments as TOML files: their keys and values."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from arena.cli import app, tournament_file
from arena.errors import UsageError
from arena.store import Results

if TYPE_CHECKING:
    from pathlib import Path


def test_keys_are_named_like_the_options_of_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text("players = ['lms', 'td']\nmax-forfeits = 1\nlogistic = true\nalpha = 0.1\n", encoding="utf-8")
    expected = {"players": ["lms", "td"], "max_forfeits": 1, "logistic": True, "alpha": 0.1}
    assert tournament_file.read(file) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sprt = 5", "sprt is a text, not 5"),
        ("logistic = 1", "logistic is true or false, not 1"),
        ("alpha = '5 %'", "alpha is a number, not '5 %'"),
        ("games = true", "games is a whole number, not True"),
        ("players = [true]", "players is a list of texts or a text"),
        ("seed = -1", "seed is a whole number from 0 to 9223372036854775807, not -1"),
        ("seed = 9223372036854775808", "seed is a whole number from 0 to 9223372036854775807, not 9223372036854775808"),
        ("max-forfeits = 1.5", "max-forfeits is a number from 0 to 1, not 1.5"),
        ("max-forfeits = nan", "max-forfeits is a number from 0 to 1, not nan (Share of forfeits"),
        ("rounds = 5", "there is no 'rounds': the format sets the number of rounds, for example swiss:rounds=5"),
        ("workers = 0", "workers is a whole number, 1 or more, not 0"),
        ("[rules]\nquiet-plys = false", "there is no 'quiet-plys'; did you mean 'quiet-plies'?"),
        ("[rules]\nquiet-plies = true", "quiet-plies is a whole number, 1 or more, or false, not True"),
        ("[rules]\nply-cap = 0", "ply-cap is a whole number, 1 or more, or false, not 0"),
        ("gams = 2", "there is no 'gams'; did you mean 'games'?"),
        (f"games = {'9' * 5000}", "is not a TOML file"),
        (f"games = 0x{'f' * 5000}", "games is too large: the largest whole number is 9223372036854775807"),
        ("players = " + "[" * 5000, "its values are nested too deep"),
    ],
)
def test_values_of_a_wrong_type_or_size_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "match.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        tournament_file.read(file)
    assert complaint in str(caught.value)


def test_standings_show_the_first_rating_system_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, database = tmp_path / "cup.toml", str(tmp_path / "arena.sqlite")
    file.write_text(
        f"players = ['m1', 'random']\ngames = 4\nseed = 1\nratings = ['glicko2', 'davidson']\ndb = '{database}'"
    )
    assert app.run(["tournament", str(file)]) == 0
    report = capsys.readouterr().out
    with Results(database) as results:
        ratings = results.ratings("last")
        standings = results.standings("last").set_index("player")
    assert ratings["system"].tolist() == ["glicko2", "glicko2", "davidson", "davidson"]
    shown = ratings[ratings["system"] == "glicko2"].set_index("player")["rating"]
    assert (standings["rating"] == shown.loc[standings.index]).all()
    assert (shown > 1000).all()
    assert f"{shown['m1']:.0f} ±" in report
    assert "rating: glicko2, with a 95 % interval" in report
    with closing(sqlite3.connect(database)) as connection:
        view = dict(connection.execute("SELECT player, rating FROM v_standings").fetchall())
    assert view == shown.to_dict()
