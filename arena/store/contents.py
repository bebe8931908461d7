"""What a database contains, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import func, select, text

from arena.store.schema import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection


class TableSize(NamedTuple):
    """The size of one table."""

    table: str
    rows: int
    bytes: int | None
    """Bytes on disk, with indexes; None: unknown."""


def sizes(connection: Connection) -> list[TableSize]:
    """Return the size of each table, the largest first."""
    used = _bytes(connection)
    rows = [
        TableSize(
            table.name,
            connection.execute(select(func.count()).select_from(table)).scalar_one(),
            used.get(table.name),
        )
        for table in metadata.sorted_tables
    ]
    return sorted(rows, key=lambda row: (-(row.bytes or 0), -row.rows, row.table))


def revision(connection: Connection) -> str:
    """Return the revision of the tables."""
    return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one())


def _bytes(connection: Connection) -> dict[str, int]:
    """Return the bytes of each table with its indexes; empty if the database cannot tell."""
    if connection.dialect.name == "postgresql":
        query = (
            "SELECT relname, pg_total_relation_size(pg_class.oid) FROM pg_class JOIN pg_namespace"
            " ON relnamespace = pg_namespace.oid WHERE nspname = current_schema() AND relkind = 'r'"
        )
    else:
        options = [each for (each,) in connection.execute(text("PRAGMA compile_options"))]
        if "ENABLE_DBSTAT_VTAB" not in options:
            return {}
        query = (
            "SELECT tbl_name, SUM(pgsize) FROM dbstat JOIN sqlite_master ON sqlite_master.name = dbstat.name"
            " WHERE dbstat.aggregate = 1 GROUP BY tbl_name"
        )
    return {name: int(size) for name, size in connection.execute(text(query))}
