"""Copies a whole database into an empty one, of the same kind or another.

All rows keep their ids. The caller's transaction holds the whole copy. Each copied table is read again, and its rows
are compared with those of the source by number and by checksum.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import func, select, text

from arena.errors import StoreError
from arena.store.bulk import BulkInsert
from arena.store.schema import metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Table

_ROWS = 100
"""Rows that are read and inserted together. Models and states of learners can have megabytes."""


class Copied(NamedTuple):
    """What was copied."""

    rows: int
    """Number of rows of all tables."""
    checksum: str
    """Checksum of all rows: 16 hexadecimal digits. Databases with equal rows have equal checksums."""


def copy(
    source: Connection, target: Connection, location: str, progress: Callable[[int, int], object] = lambda *_: None
) -> Copied:
    """Copy all rows of ``source`` into ``target``, within a transaction of the caller.

    ``location`` is that of the target. ``progress`` is called with the numbers of rows copied and of all rows. Raises
    StoreError if the target is not empty, or if the copy differs from the source.
    """
    for table in metadata.sorted_tables:
        number = _number(target, table)
        if number:
            raise StoreError(
                f"{location} is not empty, its table {table.name} has {number} rows: name a new database, or add to"
                " this one with arena db merge"
            )
    total = sum(_number(source, table) for table in metadata.sorted_tables)
    done = 0
    whole = blake2b(digest_size=8)
    for table in metadata.sorted_tables:
        insert = BulkInsert(target, table)
        read = _Checksum(table)
        with _batches(source, table) as batches:
            for rows in batches:
                insert(rows)
                read.add(rows)
                done += len(rows)
                progress(done, total)
        written = _Checksum(table)
        with _batches(target, table) as batches:
            for rows in batches:
                written.add(rows)
        if (written.rows, written.digest) != (read.rows, read.digest):
            raise StoreError(
                f"the table {table.name} was not copied correctly to {location}: it has {written.rows} rows with the"
                f" checksum {written.digest.hex()}, instead of {read.rows} with {read.digest.hex()}"
            )
        whole.update(read.digest)
        _continue_numbers(source, target, table)
    return Copied(done, whole.hexdigest())


class _Checksum:
    """Number and checksum of rows of a table, in the order in which they are added."""

    def __init__(self, table: Table) -> None:
        self._names = table.columns.keys()
        self._hash = blake2b(table.name.encode(), digest_size=8)
        self.rows = 0

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        for row in rows:
            self._hash.update(repr([_plain(row[name]) for name in self._names]).encode())
        self.rows += len(rows)

    @property
    def digest(self) -> bytes:
        return self._hash.digest()


def _plain(value: Any) -> Any:
    """Return a value of JSON as a text, and any other value as it is."""
    return json.dumps(value) if isinstance(value, dict | list) else value


def _number(connection: Connection, table: Table) -> int:
    return connection.execute(select(func.count()).select_from(table)).scalar_one()


@contextmanager
def _batches(connection: Connection, table: Table) -> Iterator[Iterator[list[dict[str, Any]]]]:
    """Read all rows of a table, ordered by key."""
    query = select(table).order_by(*table.primary_key.columns)
    with connection.execute(query, execution_options={"yield_per": _ROWS}) as rows:
        yield ([row._asdict() for row in part] for part in rows.partitions(_ROWS))


def _continue_numbers(source: Connection, target: Connection, table: Table) -> None:
    """Make the next id that the target gives follow all ids that the source has given."""
    column = table.autoincrement_column
    if column is None:
        return
    last = target.scalar(select(func.max(column))) or 0
    if table.dialect_options["sqlite"]["autoincrement"]:
        last = max(last, _last_given(source, table, column.name))
        if target.dialect.name == "sqlite":
            row = {"name": table.name, "last": last}
            target.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), row)
            target.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"), row)
    if target.dialect.name == "postgresql" and last:
        target.execute(select(func.setval(func.pg_get_serial_sequence(table.name, column.name), last)))


def _last_given(connection: Connection, table: Table, column: str) -> int:
    """Return the last id that a database gave to a row of a table, which may be deleted; 0 if it gave none."""
    if connection.dialect.name == "sqlite":
        query = text("SELECT seq FROM sqlite_sequence WHERE name = :name").bindparams(name=table.name)
    else:
        query = text(
            "SELECT last_value FROM pg_sequences WHERE schemaname = current_schema() AND sequencename = :name"
        ).bindparams(name=f"{table.name}_{column}_seq")
    return connection.scalar(query) or 0
