"""Tournaments as TOML files: what may stand in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.cli import tournament_file
from arena.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_options_are_called_as_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "match.toml"
    file.write_text("players = ['lms', 'td']\nmax-forfeits = 1\nlogistic = true\nalpha = 0.1\n", encoding="utf-8")
    expected = {"players": "lms,td", "max_forfeits": 1, "logistic": True, "alpha": 0.1}
    assert tournament_file.read(file) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("sprt = 5", "sprt is a text, not 5"),
        ("logistic = 1", "logistic is true or false, not 1"),
        ("alpha = '5 %'", "alpha is a whole number or a number, not '5 %'"),
        ("games = true", "games is a whole number, not True"),
        ("players = [true]", "players is a list of texts or a text"),
    ],
)
def test_values_have_the_type_that_is_asked_for(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "match.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        tournament_file.read(file)
    assert complaint in str(caught.value)
