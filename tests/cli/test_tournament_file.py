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
        ("seed = -1", "seed is 0 or more, at most 9223372036854775807, not -1"),
        ("seed = 9223372036854775808", "seed is 0 or more, at most 9223372036854775807"),
        ("max-forfeits = 1.5", "max-forfeits is 0 or more, at most 1, not 1.5"),
        ("max-forfeits = nan", "max-forfeits is 0 or more, at most 1, not nan"),
        ("rounds = 0", "rounds is 1 or more, not 0"),
        ("workers = 0", "workers is 1 or more, not 0"),
    ],
)
def test_values_have_the_type_and_the_size_that_is_asked_for(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "match.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        tournament_file.read(file)
    assert complaint in str(caught.value)
