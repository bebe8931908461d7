"""Noticing that a database has changed, without reading it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from arena.store.database import Database

_WRITTEN_ROWS = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables"


def change_token(database: Database) -> Hashable:
    """Return a value that is different after every change of a database. Equal values mean that nothing has changed.

    For a file, it is made of the times and sizes of the file and of its write-ahead log. For a database of a PostgreSQL
    server, it is the number of rows written so far, which the server updates about once a second. It may also differ if
    nothing has changed, for example after the log was copied into the file.
    """
    if database.path is None:
        with database.engine.connect() as connection:
            return int(connection.exec_driver_sql(_WRITTEN_ROWS).scalar_one() or 0)
    parts = []
    for file in (database.path, database.path.with_name(f"{database.path.name}-wal")):
        with suppress(OSError):
            status = file.stat()
            if status.st_size:  # readers create and remove an empty log
                parts.append((file.name, status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(parts)
