"""Helpers to inspect databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from sqlalchemy import Engine, NullPool, create_engine, text

from arena.errors import StoreError
from arena.store import database
from arena.store.schema import metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from servers import Server

Db = Path | str
"""Path of an SQLite file, or URL of a PostgreSQL database."""
KINDS = ["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.long])]
"""Parameters of a fixture that gives a database of each kind."""
NEWEST = max(file.name[:4] for file in (database.MIGRATIONS / "versions").glob("[0-9]*.py"))
"""Newest revision of the tables."""


@contextmanager
def new_database(request: pytest.FixtureRequest, folder: Path, kind: str) -> Iterator[Db]:
    """A new database without rows; of SQLite, a file of a folder that is not there yet."""
    if kind == "sqlite":
        yield folder / "results" / "arena.sqlite"
        return
    server: Server = request.getfixturevalue("postgres")
    with server.empty_database() as url:
        yield url


def opened(db: Db) -> closing[Any]:
    """Return a connection of the driver, to use in a ``with`` statement. Its method ``execute`` returns a cursor."""
    if isinstance(db, Path):
        return closing(sqlite3.connect(db))
    from servers import connected

    return connected(db)


def rows(db: Db, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    with opened(db) as connection:
        found: list[tuple[Any, ...]] = connection.execute(query).fetchall()
        return found


def all_rows(db: Db) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table, ordered by key."""
    engine = _engine(db)
    with engine.connect() as connection:
        queries = {table.name: table.select().order_by(*table.primary_key.columns) for table in metadata.sorted_tables}
        return {name: [dict(row) for row in connection.execute(query).mappings()] for name, query in queries.items()}


def _engine(db: Db) -> Engine:
    return create_engine(f"sqlite:///{db}" if isinstance(db, Path) else db, poolclass=NullPool)


def read_frame(db: Db, query: str) -> pd.DataFrame:
    """Return what pandas reads with a query."""
    with _engine(db).connect() as connection:
        return pd.read_sql(text(query), connection)


def extra_files(db: Db) -> list[str]:
    """Return the names of other files in the folder of an SQLite file."""
    return sorted(file.name for file in db.parent.iterdir() if file != db) if isinstance(db, Path) else []


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
