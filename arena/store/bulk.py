"""Inserting many rows of one table at once, with little work for each row."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, insert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection, Table

COPY_TYPES = "copy_types"
"""Execution option of a COPY statement of PostgreSQL: the types of its columns."""
_TYPES = {
    "BOOLEAN": "bool",
    "INTEGER": "int4",
    "BIGINT": "int8",
    "DOUBLE PRECISION": "float8",
    "TEXT": "text",
    "BYTEA": "bytea",
    "JSON": "json",
}
"""PostgreSQL's short name of each type."""


class BulkInsert:
    """Inserts rows into a table, in the open transaction. A row has a value for each column.

    The rows go to the driver directly, because processing them in SQLAlchemy takes as long as the database's own work.
    SQLite executes one prepared statement for all of them, PostgreSQL copies them in its binary format.
    """

    def __init__(self, connection: Connection, table: Table) -> None:
        self._connection = connection
        names = table.columns.keys()
        self._options: dict[str, Any] = {}
        self._texts: list[str] = []
        """Columns whose values are written as JSON texts."""
        if connection.dialect.name == "postgresql":
            quoted = ", ".join(map(connection.dialect.identifier_preparer.quote, names))
            self._statement = f"COPY {table.name} ({quoted}) FROM STDIN (FORMAT BINARY)"
            types = [column.type.compile(connection.dialect) for column in table.columns]
            self._options[COPY_TYPES] = [_TYPES[each] for each in types]
        else:
            statement = insert(table).inline().compile(dialect=connection.dialect)
            self._statement = str(statement)
            names = statement.positiontup or names
            self._texts = [column.name for column in table.columns if isinstance(column.type, JSON)]
        self._values = itemgetter(*names)

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows."""
        for name in self._texts:
            rows = [{**row, name: json.dumps(row[name])} for row in rows]
        if rows:
            values = [self._values(row) for row in rows]
            self._connection.exec_driver_sql(self._statement, values, execution_options=self._options)
