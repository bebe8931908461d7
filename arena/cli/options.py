"""Options that several commands have."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from arena.plugins.models import DEFAULT_DB

DB_VARIABLE = "ARENA_DB"
"""Environment variable with the database of commands without ``--db``."""
Db = Annotated[str, typer.Option(help="SQLite file or database URL.", envvar=DB_VARIABLE)]
Accept = Annotated[
    bool,
    typer.Option("--accept-changed", help="With --resume: continue although code has changed, and record the change."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the rows as JSON, with all columns.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV, with all columns.")]


def default_db() -> str:
    """Return the database of commands without ``--db``."""
    return os.environ.get(DB_VARIABLE) or DEFAULT_DB


def db_words(location: str) -> list[str]:
    """Return the words that name a database on a command line; none if it is the default.

    ``location``: path, or URL without its password.
    """
    from arena.store.address import location_of

    return [] if location == location_of(default_db()) else ["--db", location]
