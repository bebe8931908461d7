"""The migrations create the tables of the schema."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from sqlalchemy import create_engine

from arena.store.database import Database
from arena.store.schema import metadata

if TYPE_CHECKING:
    from pathlib import Path


def definitions(path: Path) -> dict[str, list[str]]:
    """Return the sorted clauses of the CREATE statement of each table and index, without Alembic's own table."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE type != 'view' AND sql IS NOT NULL")
        return {name: sorted(_clauses(sql)) for name, sql in rows if not name.startswith("alembic_")}


def _clauses(sql: str) -> list[str]:
    """Split a CREATE statement into clauses. SQLite puts an added column on the line of the previous column."""
    return [re.sub(r"\s+", " ", clause).strip().replace('"', "") for clause in re.split(r",(?![^(]*\))|\(\n|\n\)", sql)]


def test_migrations_and_tables_agree(path: Path, tmp_path: Path) -> None:
    Database(path, write=True).engine.dispose()
    engine = create_engine(f"sqlite:///{tmp_path / 'plain.sqlite'}")
    metadata.create_all(engine)
    engine.dispose()
    assert definitions(path) == definitions(tmp_path / "plain.sqlite")
