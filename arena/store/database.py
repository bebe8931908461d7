"""Opening a database: is it ours, which revision, and every failure in one line."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from arena.errors import StoreError
from arena.store.schema import metadata

if TYPE_CHECKING:
    from sqlalchemy.engine import ExceptionContext

APPLICATION_ID = 0x41524E41
"""``ARNA``: marks an SQLite file as ours."""
MIGRATIONS = Path(__file__).with_name("migrations")
"""Revisions are named by the first four letters of their files."""
BUSY_SECONDS = 20.0
"""How long a locked SQLite file is waited for."""

_HEADER = b"SQLite format 3\0"
_TROUBLE = {
    "SQLITE_NOTADB": "is not an SQLite database",
    "SQLITE_CORRUPT": "is damaged: put a copy in its place, or save what can be read with sqlite3's .recover",
    "SQLITE_BUSY": "is locked by another program: try again when that has ended",
    "SQLITE_READONLY": "cannot be written: it or its folder is read-only",
    "SQLITE_CANTOPEN": "cannot be opened: it or its folder may not be read or written",
    "SQLITE_FULL": "cannot grow: the disk is full; make room",
    "SQLITE_IOERR": "cannot be read or written: the disk is full, gone or failing",
}


class Database:
    """A database of ours at the newest revision. Raises StoreError, as everything done with it does."""

    engine: Engine

    def __init__(self, path_or_url: str | os.PathLike[str], *, write: bool) -> None:
        """Open to write (then it is made or upgraded where needed) or to read (then nothing is touched)."""
        url = _url(path_or_url)
        self.path = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
        self.location = str(self.path or url.render_as_string(hide_password=True))
        """Path or URL, for messages; without a password."""
        if self.path:
            _check_place(self.path, write)
            if write:
                _make_folder(self.path)
            self.engine = _sqlite_writer(self.path) if write else _sqlite_reader(self.path)
        else:
            self.engine = _server(url, self.location)
        event.listen(self.engine, "handle_error", self._explain)
        with self.engine.connect() as connection:
            self._settle(connection, write)
        if self.path and write:
            event.listen(self.engine, "connect", _write_ahead)
            event.listen(self.engine, "close", _leave_one_plain_file)

    def _settle(self, connection: Connection, write: bool) -> None:
        """Bring the tables to the newest revision, or raise."""
        revision = self._revision(connection)
        known = sorted(file.name[:4] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))
        if revision == known[-1]:
            if write and self.path:  # where it cannot be written, say so now; this is rolled back
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            return
        if revision not in (None, *known):
            raise StoreError(
                f"{self.location} was written by a newer Checkers Arena: upgrade this one"
                f" (the database has revision {revision}, the program knows {known[-1]})"
            )
        if not write:
            raise StoreError(
                f"{self.location} was written by an older Checkers Arena:"
                " arena tournament, arena train and arena import upgrade it"
                if revision
                else f"{self.location} is empty: arena tournament fills it"
            )
        if revision and self.path:
            _back_up(self.path, revision)
        _upgrade(connection)
        connection.commit()

    def _revision(self, connection: Connection) -> str | None:
        """The revision of the tables; None where there are none. Refuses what is not ours."""
        tables = set(inspect(connection).get_table_names())
        if self.path:
            mark = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
            foreign = mark != APPLICATION_ID and (mark or tables)
        else:
            foreign = "alembic_version" not in tables and tables & metadata.tables.keys()
        if foreign:
            raise StoreError(f"{self.location} belongs to another program: name another database")
        if not tables:
            return None
        revision: str = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
        return revision

    def _explain(self, context: ExceptionContext) -> None:
        """Turns an error of the database's driver into one line."""
        error = context.original_exception
        if isinstance(error, (OverflowError, UnicodeError)):
            raise StoreError(f"{self.location} cannot hold a value: {error}")
        if context.sqlalchemy_exception is None:
            return
        line = str(error).partition("\n")[0]
        code = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
        if isinstance(context.sqlalchemy_exception, IntegrityError):
            doubled = "; is another program recording the same?" if "unique" in line.lower() else ""
            raise StoreError(f"{self.location} refuses a row, as wrong or there already: {line}{doubled}")
        raise StoreError(f"{self.location} {_TROUBLE.get(code, f'cannot be used: {line}')}")


def locate(path_or_url: str | os.PathLike[str]) -> tuple[str, bool]:
    """Path or URL of a database for messages, without a password, and whether there is something to open.

    Raises StoreError where there could be no database of ours.
    """
    url = _url(path_or_url)
    if url.get_backend_name() != "sqlite":
        return url.render_as_string(hide_password=True), True
    path = Path(str(url.database))
    _check_place(path, write=True)
    return str(path), path.exists()


def require(path_or_url: str | os.PathLike[str]) -> None:
    """Raise StoreError where a path leads to no database that could be opened."""
    url = _url(path_or_url)
    if url.get_backend_name() == "sqlite":
        _check_place(Path(str(url.database)), write=False)


def _url(path_or_url: str | os.PathLike[str]) -> URL:
    name = str(path_or_url)
    try:
        url = make_url(name) if "://" in name else URL.create("sqlite", database=name)
    except ArgumentError:
        raise StoreError(f"{name} is neither a path nor the URL of a database") from None
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise StoreError("a database in memory would be lost: name a file")
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def _check_place(path: Path, write: bool) -> None:
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a database")
        if path.exists():
            with path.open("rb") as file:
                if file.read(len(_HEADER)) not in (_HEADER, b""):
                    raise StoreError(f"{path} is not an SQLite database")
        elif write:
            folder = next(each for each in path.absolute().parents if each.exists())
            if not folder.is_dir():
                raise StoreError(f"{path} cannot be made: {folder} is not a folder")
            if not os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
                raise StoreError(f"{path} cannot be made: the folder {folder} is read-only; name another with --db")
        else:
            raise StoreError(f"there is no database {path}: arena tournament makes one, and so does arena train")
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from None


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {error.strerror}") from None


def _server(url: URL, location: str) -> Engine:
    try:
        return create_engine(url)
    except (ImportError, NoSuchModuleError) as error:
        raise StoreError(f"{location} needs a driver that is not installed: {error}") from None


def _sqlite_reader(path: Path) -> Engine:
    """Opens the file anew for each use, read-only, so that nothing is left open or locked between two."""

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _sqlite_writer(path: Path) -> Engine:
    """Takes the write lock when a transaction begins, not halfway through, where waiting cannot help."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_SECONDS, "isolation_level": None},
        poolclass=NullPool,
    )

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA page_size = 8192")  # of 4096, the default, a game of 2 kB leaves half unused
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        file = connection.info.setdefault("file", _identity(path))
        if file is None or file != _identity(path):
            raise StoreError(f"{path} was moved or replaced while it was written: put it back where it was")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _identity(path: Path) -> tuple[int, int] | None:
    """Device and number of the file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _write_ahead(connection: sqlite3.Connection, _: Any) -> None:
    """Let others read while this connection writes, where the file system can."""
    with suppress(sqlite3.DatabaseError):
        if connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",):
            connection.execute("PRAGMA synchronous = NORMAL")


def _leave_one_plain_file(connection: sqlite3.Connection, _: Any) -> None:
    """Fold the log into the file, unless somebody else still has it open, or there is no room; it can be done later."""
    with suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA journal_mode = DELETE")


def _back_up(path: Path, revision: str) -> None:
    """Copy the file beside itself, under a name that is free and that only a whole copy gets.

    Nobody else does so at the same time: who calls holds the write lock.
    """
    part = path.with_name(f"{path.name}.bak-part")
    try:
        part.unlink(missing_ok=True)
        try:
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as copy:
                source.backup(copy)
            names = (f"{path.name}.bak-{revision}{f'-{number}' if number > 1 else ''}" for number in count(1))
            part.rename(next(free for name in names if not (free := path.with_name(name)).exists()))
        finally:
            part.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(f"{path} is not upgraded, for want of a backup: {error}") from None


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, "head")
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
