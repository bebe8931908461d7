"""Run the migrations on the store's connection, within its transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alembic import context
from alembic.ddl.postgresql import PostgresqlImpl
from sqlalchemy import Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Column, Table


class PostgreSQLTables(PostgresqlImpl):
    """Creates columns in PostgreSQL whose texts are ordered by code points, as in SQLite.

    Otherwise, the order of players in tables would depend on the language of the server.
    """

    __dialect__ = "postgresql"

    def create_table(self, table: Table, **options: Any) -> None:
        _order_by_code_points(table.columns)
        super().create_table(table, **options)

    def add_column(self, table_name: str, column: Column[Any], **options: Any) -> None:
        _order_by_code_points([column])
        super().add_column(table_name, column, **options)


def _order_by_code_points(columns: Iterable[Column[Any]]) -> None:
    for column in columns:
        if type(column.type) is Text:
            column.type = Text(collation="C")


context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
