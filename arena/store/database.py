"""Opening a database: checks that Checkers Arena made it, checks its revision, and upgrades it.

Every failure is a StoreError with a one-line message.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqlalchemy import Connection, Engine, event, inspect
from sqlalchemy.exc import IntegrityError

from arena.errors import StoreError, shown
from arena.store.address import file_of, location_of, url_of
from arena.store.sqlite import SQLiteFile, first_line

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Hashable

    from sqlalchemy import URL
    from sqlalchemy.engine import ExceptionContext

MIGRATIONS = Path(__file__).with_name("migrations")
"""Folder of the migrations. The first four characters of a file name are its revision."""


class Backend(Protocol):
    """What differs between SQLite and PostgreSQL when a database is opened."""

    location: str
    """Path or URL without a password, for messages."""

    def reader(self) -> Engine:
        """Return an engine for reading."""

    def writer(self) -> Engine:
        """Return an engine for writing: one transaction writes at a time, and others wait for it."""

    def is_foreign(self, connection: Connection, tables: Collection[str]) -> bool:
        """Whether another program made the database, which has these tables."""

    def prepare(self, engine: Engine) -> None:
        """Prepare a database that is ours, or empty, for writing with the engine."""

    def check_rights(self, connection: Connection) -> None:
        """Raise StoreError if a database of the newest revision cannot be written."""

    def before_upgrade(self, connection: Connection, revision: str | None) -> None:
        """Check or save what is needed before an upgrade from a revision; None: there are no tables yet."""

    def mark(self, connection: Connection) -> None:
        """Mark the database as ours."""

    def change_token(self, engine: Engine) -> Hashable:
        """Return a value that is different after every change; see :attr:`Database.change_token`."""

    def error(self, error: BaseException, *, is_lost: bool) -> StoreError:
        """Return the StoreError for an error of the driver. ``is_lost``: the connection is lost."""


class Database:
    """A database of Checkers Arena at the newest revision.

    The constructor and every use of ``engine`` raise StoreError if the database cannot be used.
    """

    engine: Engine

    def __init__(
        self, path_or_url: str | os.PathLike[str], *, write: bool, say: Callable[[str], object] = lambda _: None
    ) -> None:
        """Open the database for writing or for reading. Opening for writing creates or upgrades it if needed.

        ``say`` is called with a one-line message while the database waits for another program or for the server.
        """
        self._backend = _backend(url_of(path_or_url), location_of(path_or_url), say)
        self.location = self._backend.location
        """Path or URL without a password, for messages."""
        self.engine = self._backend.writer() if write else self._backend.reader()
        event.listen(self.engine, "handle_error", self._raise_store_error)
        try:
            self._open(write)
        except BaseException:
            self.engine.dispose()
            raise

    @property
    def change_token(self) -> Hashable:
        """A value that is different after every change of the database. Equal values mean that nothing has changed.

        It may also differ if nothing has changed.
        """
        return self._backend.change_token(self.engine)

    def close(self) -> None:
        """Close all connections that are not in use."""
        self.engine.dispose()

    def _open(self, write: bool) -> None:
        with self.engine.connect() as connection:
            self._checked_revision(connection, write)
        if write:
            self._backend.prepare(self.engine)
            with self.engine.connect() as connection:
                self._upgrade_if_older(connection)

    def _upgrade_if_older(self, connection: Connection) -> None:
        """Bring the tables to the newest revision."""
        revision = self._checked_revision(connection, write=True)
        if revision == _revisions()[-1]:
            self._backend.check_rights(connection)
            return
        self._backend.before_upgrade(connection, revision)
        _upgrade(connection)
        self._backend.mark(connection)
        connection.commit()

    def _checked_revision(self, connection: Connection, write: bool) -> str | None:
        """Return the revision of the tables, or None if there are no tables.

        Raises StoreError if the revision is unknown, or if it is not the newest one and the database is only read.
        """
        revision = self._stored_revision(connection)
        known = _revisions()
        if revision not in (None, *known):
            raise StoreError(
                f"{self.location} was written by a newer Checkers Arena: upgrade this one"
                f" (the database has revision {shown(revision)}, the program knows {known[-1]})"
            )
        if not write and revision != known[-1]:
            raise StoreError(
                f"{self.location} was written by an older Checkers Arena; to upgrade it: "
                f"arena db upgrade --db {shlex.quote(self.location)}"
                if revision
                else f"{self.location} is empty: arena tournament fills it"
            )
        return revision

    def _stored_revision(self, connection: Connection) -> str | None:
        """Return the revision of the tables, or None if there are no tables.

        Raises StoreError if another program made the database.
        """
        tables = set(inspect(connection).get_table_names())
        if self._backend.is_foreign(connection, tables):
            raise StoreError(f"{self.location} belongs to another program: name another database")
        if not tables:
            return None
        revisions = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
        if len(revisions) != 1 or not isinstance(revisions[0], str):
            raise StoreError(
                f"{self.location} is damaged: its table alembic_version holds {len(revisions)} rows, instead of one row"
                " with a revision; replace it with a backup"
            )
        return str(revisions[0])

    def _raise_store_error(self, context: ExceptionContext) -> None:
        """Raise a StoreError with a one-line message for an error of the database driver."""
        error = context.original_exception
        if isinstance(error, (OverflowError, UnicodeError)):
            raise StoreError(f"{self.location} cannot hold a value: {error}")
        if (
            context.sqlalchemy_exception is None or context.is_pre_ping
        ):  # after a failed ping, SQLAlchemy connects again
            return
        if isinstance(context.sqlalchemy_exception, IntegrityError):
            line = first_line(error)
            hint = "; is another program recording the same?" if "unique" in line.lower() else ""
            raise StoreError(f"{self.location} rejects a row as invalid or duplicate: {line}{hint}")
        raise self._backend.error(error, is_lost=context.is_disconnect)


def _backend(url: URL, location: str, say: Callable[[str], object]) -> Backend:
    path = file_of(url)
    if path is not None:
        return SQLiteFile(path, say)
    from arena.store.postgresql import PostgreSQL

    return PostgreSQL(url, location, say)


def _revisions() -> list[str]:
    """Return the revisions that this program knows, the oldest first."""
    return sorted(file.name[:4] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, "head")
