"""Runs the commands of ``arena claims`` in this process."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

import arena
from arena_claims import app


def rows_of(*words: object) -> list[dict[str, Any]]:
    """Return the rows that a command prints."""
    done = CliRunner().invoke(app, [*map(str, words), "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def refused(*words: str) -> str:
    """Return the error message of a command."""
    with pytest.raises(arena.ArenaError) as error:
        CliRunner().invoke(app, words, catch_exceptions=False)
    return str(error.value)
