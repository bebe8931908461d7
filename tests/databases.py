"""What is in a database of games."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def contents(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in a database but times, in an order that does not depend on that of insertion."""
    tables = {}
    with closing(sqlite3.connect(path)) as connection:
        for table in ("tournaments", "tournament_players", "players", "pairings", "games", "ratings"):
            columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
            timeless = ", ".join(name for name in columns if name not in {"started", "seconds"})
            tables[table] = sorted(connection.execute(f"select {timeless} from {table}"), key=repr)
    return tables
