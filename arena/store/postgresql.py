"""PostgreSQL databases: opening them for reading and for writing, lost connections, and their errors.

As in SQLite, one transaction writes at a time. A writing transaction begins with an advisory lock of the database. If
the server has closed the connection since the last transaction, the next one waits for the server and connects again.
A comment on the table ``alembic_version`` tells our tables from those of other programs.
"""

from __future__ import annotations

import re
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from arena.errors import StoreError, Unreachable, message_of
from arena.store.bulk import COPY_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Sequence

    from sqlalchemy.engine import ExecutionContext

MARK = "Checkers Arena"
"""Comment on the table ``alembic_version`` of our databases."""
LOCK = 0x41524E41
"""Key of the advisory lock of writing transactions: ``ARNA`` in ASCII."""
BUSY_SECONDS = 20.0
"""Maximum wait for another program's transaction."""
CONNECT_SECONDS = 10
"""Maximum wait for a connection, unless the URL has a ``connect_timeout``."""
RESTART_SECONDS = 60.0
"""Maximum wait for a server that closed a connection."""
PAUSE_SECONDS = 0.5
"""Time between two attempts to connect again."""

_RIGHTS = "docs/postgresql.md lists the rights that are needed"
_ADVICE = (
    (r"password authentication failed", "check the name of the role and its password"),
    (r"no password supplied", "set the variable PGPASSWORD, or add a line to ~/.pgpass"),
    (r'database "[^"]*" does not exist', "create it with createdb, or name another"),
    (r'role "[^"]*" does not exist', "create it with createuser, or name another"),
    (r"no pg_hba\.conf entry", "allow the connection in the server's pg_hba.conf"),
    (r"failed to resolve host|could not translate host name", "check the name of the host"),
    (r"too many clients|connection slots", "try again when other programs have ended"),
)
"""Patterns of the reasons why a connection fails, which have no error code, and what to do."""
_PROBLEMS = {
    "42501": f"does not allow this: {{line}}; {_RIGHTS}",
    "25006": f"cannot be written: it is read-only for this role or on this server; {_RIGHTS}",
    "55P03": "is locked by another program: try again when that program has ended",
    "53100": "cannot grow: the disk of the server is full; make room",
    "22003": "cannot hold a value: {line}",
    "22021": "cannot hold a value: {line}",
}
"""What is wrong, by SQLSTATE. ``{line}`` is the message of the server."""
_WRITTEN_ROWS = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables"


class PostgreSQL:
    """A database of a PostgreSQL server. See :class:`arena.store.database.Backend`."""

    def __init__(self, url: URL, location: str, say: Callable[[str], object]) -> None:
        self.location = location
        self._url = url
        self._say = say
        self._is_given_up = False
        """Whether the server did not come back in time."""

    def reader(self) -> Engine:
        """Return an engine whose transactions are read-only, and see the database as it was at their start."""
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        return self._engine(execution_options=options, pool_pre_ping=True)

    def writer(self) -> Engine:
        """Return an engine whose transactions begin with a lock, after connecting again if the connection is lost."""
        engine = self._engine(poolclass=NullPool)
        lock = f"SELECT set_config('lock_timeout', '{BUSY_SECONDS:.3f}s', true), pg_advisory_xact_lock({LOCK})"

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            try:
                connection.exec_driver_sql(lock)
            except Unreachable:
                self._connect_again(connection)
                connection.exec_driver_sql(lock)

        event.listen(engine, "do_execute", _copied_row)
        event.listen(engine, "do_executemany", _copied)
        return engine

    def is_foreign(self, connection: Connection, tables: Collection[str]) -> bool:
        """Whether another program made the tables of the schema."""
        query = text(
            "SELECT obj_description(pg_class.oid, 'pg_class') FROM pg_class JOIN pg_namespace ON relnamespace ="
            " pg_namespace.oid WHERE nspname = current_schema() AND relname = 'alembic_version'"
        )
        if connection.scalar(text("SELECT current_schema()")) is None:
            raise StoreError(f"{self.location} has no schema of its search path: create one, or set search_path")
        return bool(tables) and connection.scalar(query) != MARK

    def prepare(self, engine: Engine) -> None:
        """Do nothing: the server needs no preparation."""

    def check_rights(self, connection: Connection) -> None:
        """Raise StoreError if the role may not write to the tables: an error now, not later."""
        query = text(
            "SELECT relname FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid"
            " WHERE nspname = current_schema() AND relkind = 'r' AND relname <> 'alembic_version' AND NOT ("
            " has_table_privilege(pg_class.oid, 'SELECT') AND has_table_privilege(pg_class.oid, 'INSERT')"
            " AND has_table_privilege(pg_class.oid, 'UPDATE') AND has_table_privilege(pg_class.oid, 'DELETE'))"
            " ORDER BY relname LIMIT 1"
        )
        table = connection.scalar(query)
        if table is not None:
            role = connection.scalar(text("SELECT current_user"))
            raise StoreError(f"{self.location} may not be written by the role {role}, for example {table}; {_RIGHTS}")
        if connection.scalar(text("SELECT current_setting('transaction_read_only')")) == "on":
            raise StoreError(f"{self.location} {_PROBLEMS['25006']}")

    def before_upgrade(self, connection: Connection, revision: str | None) -> None:
        """Check the encoding of a new database. There is no backup: the upgrade is one transaction."""
        encoding = connection.scalar(text("SELECT current_setting('server_encoding')"))
        if revision is None and encoding != "UTF8":
            raise StoreError(f"{self.location} has the encoding {encoding}: create it with createdb --encoding UTF8")

    def mark(self, connection: Connection) -> None:
        """Comment on the table ``alembic_version``."""
        connection.execute(text(f"COMMENT ON TABLE alembic_version IS '{MARK}'"))

    def change_token(self, engine: Engine) -> Hashable:
        """Return the number of rows written so far, which the server updates about once a second."""
        with engine.connect() as connection:
            return int(connection.exec_driver_sql(_WRITTEN_ROWS).scalar_one() or 0)

    def error(self, error: BaseException, *, is_lost: bool) -> StoreError:
        """Return the StoreError for an error of psycopg or of the server."""
        code = getattr(error, "sqlstate", None)
        line = re.sub(r"\s+", " ", str(error).strip().partition("\n")[0])
        if code is None and re.match(r"connection|failed to resolve|could not translate", line):
            reason = re.sub(r"^.*?(failed: )?(FATAL: *)?(?=[^:]*$)|^connection failed: ", "", line)
            advice = next((advice for pattern, advice in _ADVICE if re.search(pattern, line)), None)
            if advice:
                return StoreError(f"{self.location} cannot be opened: {reason}; {advice}")
            return Unreachable(f"{self.location} cannot be reached: {reason}; start the server, or name another")
        if is_lost or code in ("57P01", "57P02", "57P03"):
            return Unreachable(f"{self.location} has closed the connection: start the server again, and repeat this")
        problem = _PROBLEMS.get(code or "", "cannot be used: {line}")
        return StoreError(f"{self.location} {problem.format(line=line)}")

    def _engine(self, **options: Any) -> Engine:
        try:
            import_module("psycopg")
        except ImportError:
            raise StoreError(
                f"{self.location} needs the package psycopg: pip install 'checkers-arena[postgres]'"
            ) from None
        arguments = {"application_name": "checkers-arena", "connect_timeout": CONNECT_SECONDS}
        own = {name: value for name, value in arguments.items() if name not in self._url.query}
        try:
            engine = create_engine(self._url, connect_args=own, **options)
        except (ArgumentError, TypeError, ValueError) as error:
            raise StoreError(f"{self.location} is not the URL of a database: {message_of(error)}") from None
        event.listen(engine, "connect", import_module("arena.store.not_a_number").store_as_null)
        return engine

    def _connect_again(self, connection: Connection) -> None:
        """Connect again when the server answers. Raises StoreError if it does not answer in time."""
        last = time.monotonic() + (0 if self._is_given_up else RESTART_SECONDS)
        if not self._is_given_up:
            self._say(
                f"{self.location} has closed the connection: waiting up to {RESTART_SECONDS:.0f} s for the server"
            )
        while True:
            try:
                connection.exec_driver_sql("SELECT 1")
            except Unreachable:
                if time.monotonic() >= last:
                    self._is_given_up = True
                    raise
                time.sleep(PAUSE_SECONDS)
            else:
                self._is_given_up = False
                self._say(f"{self.location} answers again")
                return


def _copied(cursor: Any, statement: str, rows: Sequence[Sequence[Any]], context: ExecutionContext) -> bool:
    """Execute a COPY statement with its rows. Returns False for other statements, which SQLAlchemy then executes."""
    types = context.execution_options.get(COPY_TYPES)
    if types is None:
        return False
    with cursor.copy(statement) as copy:
        copy.set_types(types)
        for row in rows:
            copy.write_row(row)
    return True


def _copied_row(cursor: Any, statement: str, row: Sequence[Any], context: ExecutionContext) -> bool:
    """Like :func:`_copied`, with one row."""
    return _copied(cursor, statement, [row], context)
