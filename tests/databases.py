"""Helpers to inspect databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arena.errors import StoreError
from arena.store import database

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NEWEST = max(file.name[:4] for file in (database.MIGRATIONS / "versions").glob("[0-9]*.py"))
"""Newest revision of the tables."""


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the sorted rows of each table about games, without columns of times. Equal contents give equal results."""
    tables = {}
    with closing(sqlite3.connect(path)) as connection:
        for table in ("tournaments", "tournament_players", "players", "pairings", "games", "ratings"):
            columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
            timeless = ", ".join(name for name in columns if name not in {"started", "seconds"})
            tables[table] = sorted(connection.execute(f"select {timeless} from {table}"), key=repr)
    return tables


def revision(path: Path) -> str:
    """Return the revision of the tables of a database."""
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def refusal(opened: Callable[[Any], Any], path: object) -> str:
    """Return the message of the StoreError that ``opened(path)`` raises. It must be one line that names the path."""
    with pytest.raises(StoreError) as caught:
        opened(path)
    line = str(caught.value)
    assert "\n" not in line
    assert str(path) in line
    return line


def empty(path: Path) -> Path:
    """Make a database without rows, and return its path."""
    database.Database(path, write=True).engine.dispose()
    return path
