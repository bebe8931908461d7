"""Reading rows of one database and adding them to another."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, insert, select, update

from arena.store import lookup, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from sqlalchemy import Connection, Table

    Row = dict[str, Any]

_ROWS = 500
"""Rows that are read or added together."""


class Copier:
    """Two databases: the rows of ``source`` are added to ``target``."""

    def __init__(self, source: Connection, target: Connection) -> None:
        self.source, self.target = source, target
        self.added: Counter[str] = Counter()
        """Number of new rows by table."""
        self.renamed: list[tuple[str, str, str]] = []
        """Table, old name and new name of what was renamed."""

    def rows(self, table: Table, **equal: Any) -> Iterator[Row]:
        """Yield the rows of the source in which columns have these values, ordered by key."""
        result = self.source.execution_options(yield_per=_ROWS).execute(_query(table, equal))
        return (dict(row) for row in result.mappings())

    def mine(self, table: Table, **equal: Any) -> list[Row]:
        """Return the rows of the target in which columns have these values, ordered by key."""
        return [dict(row) for row in self.target.execute(_query(table, equal)).mappings()]

    def ids(self, connection: Connection, table: Table) -> list[int]:
        """Return all ids of a table, in order."""
        return list(connection.scalars(select(table.c.id).order_by(table.c.id)))

    def add(self, table: Table, row: Row) -> int:
        """Insert a row into the target, with a new id instead of its own, and return the id."""
        values = {name: value for name, value in row.items() if name != "id"}
        self.added[table.name] += 1
        key: int = self.target.scalars(insert(table).values(values).returning(table.c.id)).one()
        return key

    def insert(self, table: Table, rows: Iterable[Row]) -> None:
        """Insert rows into the target."""
        for batch in _batches(rows):
            self.target.execute(insert(table), batch)
            self.added[table.name] += len(batch)

    def copy_new(self, table: Table, rows: Iterable[Row]) -> None:
        """Insert rows into the target, except those whose key is there."""
        statement = lookup.insert_new(self.target, table)
        for batch in _batches(rows):
            self.added[table.name] += max(self.target.execute(statement, batch).rowcount, 0)

    def change(self, table: Table, row: Row, values: Mapping[str, Any]) -> None:
        """Set columns of a row of the target that has an id, if they differ."""
        if any(row[name] != value for name, value in values.items()):
            self.target.execute(update(table).where(table.c.id == row["id"]).values(values))

    def free_name(self, name: str, *tables: Table) -> str:
        """Return the name, or with a number if a row of the target's ``tables`` has it; note the new name."""
        taken = {each for table in tables for each in self.target.scalars(select(table.c.name))}
        free = names.numbered(name)(taken)
        if free != name:
            self.renamed.append((tables[0].name, name, free))
        return free


def _query(table: Table, equal: Mapping[str, Any]) -> Select[Any]:
    query = select(table).where(*(table.c[name] == value for name, value in equal.items()))
    return query.order_by(*table.primary_key.columns)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _ROWS)):
        yield batch
