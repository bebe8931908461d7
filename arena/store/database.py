"""Opening a database: checks that Checkers Arena made it, checks its revision, and upgrades it.

Every failure is a StoreError with a one-line message.

SQLite files are in WAL mode (write-ahead log), in which readers never block the writer: the writer appends to a log
beside the file (``-wal``), and the last program that closes the file copies the log into it. Switching to WAL mode
needs exclusive access. It happens once, for a new file or a file of an earlier version.
"""

from __future__ import annotations

import os
import shlex
import sqlite3
import time
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from arena.errors import StoreError, message_of, shown
from arena.store.schema import metadata

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import ExceptionContext

APPLICATION_ID = 0x41524E41
"""Application id of our SQLite files: ``ARNA`` in ASCII."""
MIGRATIONS = Path(__file__).with_name("migrations")
"""Folder of the migrations. The first four characters of a file name are its revision."""
BUSY_SECONDS = 20.0
"""Maximum wait for a locked SQLite file."""
PAUSE_SECONDS = 0.5
"""Time between two attempts to switch a file of an earlier version to WAL mode."""
PAGE_BYTES = 8192
"""Page size of new files. In pages of the default size, 4096, a game of 2 kB wastes half of a page."""
SMALLEST_PAGE = 512
"""Smallest page size of SQLite in bytes. SQLite treats a shorter file as an empty database and overwrites it."""
_SILENT_ATTEMPTS = 3
"""Attempts to switch to WAL mode before a message says that a reader blocks it."""

_WAL_VERSION = 2
"""Byte 18 of a file in WAL mode."""
_PROBLEMS = {
    "SQLITE_NOTADB": "is not an SQLite database",
    "SQLITE_CORRUPT": "is damaged: replace it with a backup, or save what is readable with sqlite3's .recover",
    "SQLITE_BUSY": "is locked by another program: try again when that program has ended",
    "SQLITE_READONLY": "cannot be written: it or its folder is read-only",
    "SQLITE_CANTOPEN": "cannot be opened: it or its folder may not be read or written",
    "SQLITE_FULL": "cannot grow: the disk is full; make room",
    "SQLITE_IOERR": "cannot be read or written: the disk is full, gone or failing",
}


class Database:
    """A database of Checkers Arena at the newest revision.

    The constructor and every use of ``engine`` raise StoreError if the database cannot be used.
    """

    engine: Engine

    def __init__(
        self, path_or_url: str | os.PathLike[str], *, write: bool, say: Callable[[str], object] = lambda _: None
    ) -> None:
        """Open the database for writing or for reading. Opening for writing creates or upgrades it if needed.

        ``say`` is called with a one-line message if a reader blocks the switch to WAL mode.
        """
        url = _url(path_or_url)
        self.path = Path(str(url.database)) if url.get_backend_name() == "sqlite" else None
        self.location = str(self.path or url.render_as_string(hide_password=True))
        """Path or URL without a password, for messages."""
        if self.path:
            _check_place(self.path, write)
            if write:
                _make_folder(self.path)
            self.engine = _sqlite_writer(self.path) if write else _sqlite_reader(self.path)
        else:
            self.engine = _server(url, self.location)
        event.listen(self.engine, "handle_error", self._raise_store_error)
        with self.engine.connect() as connection:
            self._checked_revision(connection, write)
        if self.path and write:
            _switch_to_wal(self.path, say)
            event.listen(self.engine, "connect", _sync_at_checkpoints)
            event.listen(self.engine, "close", _checkpoint_log)
        if write:
            with self.engine.connect() as connection:
                self._upgrade_if_older(connection)

    def _upgrade_if_older(self, connection: Connection) -> None:
        """Bring the tables to the newest revision."""
        revision = self._checked_revision(connection, write=True)
        if revision == _revisions()[-1]:
            if self.path:  # a trial write, which is rolled back: a read-only file is an error now, not later
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            return
        if revision and self.path:
            _back_up(self.path, revision)
        _upgrade(connection)
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
        if self.path:
            application_id = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
            foreign = application_id != APPLICATION_ID and (application_id or tables)
        else:
            foreign = "alembic_version" not in tables and tables & metadata.tables.keys()
        if foreign:
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
        if context.sqlalchemy_exception is None:
            return
        line = str(error).partition("\n")[0]
        code = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
        if isinstance(context.sqlalchemy_exception, IntegrityError):
            hint = "; is another program recording the same?" if "unique" in line.lower() else ""
            raise StoreError(f"{self.location} rejects a row as invalid or duplicate: {line}{hint}")
        raise StoreError(f"{self.location} {_PROBLEMS.get(code, f'cannot be used: {line}')}")


def locate(path_or_url: str | os.PathLike[str]) -> tuple[str, bool]:
    """Return the path or URL of a database without a password, and whether the database exists.

    The databases of a server are taken to exist. Raises StoreError if no database can be at this path or URL.
    """
    url = _url(path_or_url)
    if url.get_backend_name() != "sqlite":
        return url.render_as_string(hide_password=True), True
    path = Path(str(url.database))
    _check_place(path, write=True)
    return str(path), path.exists()


def require(path_or_url: str | os.PathLike[str]) -> None:
    """Raise StoreError if there is no database file at a path. URLs of servers are not checked."""
    url = _url(path_or_url)
    if url.get_backend_name() == "sqlite":
        _check_place(Path(str(url.database)), write=False)


def check_distinct(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> None:
    """Raise StoreError if both are the same database, or if ``other`` is a missing file."""
    require(other)
    urls = [_url(each) for each in (one, other)]
    files = [Path(str(url.database)) for url in urls if url.get_backend_name() == "sqlite"]
    same = len(files) == 2 and files[0].exists() and files[0].samefile(files[1])
    if same or urls[0] == urls[1]:
        raise StoreError(f"{locate(other)[0]} is the same database as {locate(one)[0]}: name another one")


def _revisions() -> list[str]:
    """Return the revisions that this program knows, the oldest first."""
    return sorted(file.name[:4] for file in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def _url(path_or_url: str | os.PathLike[str]) -> URL:
    name = str(path_or_url)
    if "\0" in name:
        raise StoreError(f"{shown(name)} is neither a path nor the URL of a database")
    try:
        url = make_url(name) if "://" in name else URL.create("sqlite", database=name)
    except (ArgumentError, ValueError):  # ValueError: a port that is not a number
        raise StoreError(f"{shown(name)} is neither a path nor the URL of a database") from None
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise StoreError("a database in memory would be lost: name a file")
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def _check_place(path: Path, write: bool) -> None:
    """Raise StoreError if ``path`` cannot be a database file, or if it can be neither opened nor created.

    The file is not opened: a process that closes a file releases all its POSIX locks on it, including SQLite's.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a database")
        if path.exists():
            if 0 < path.stat().st_size < SMALLEST_PAGE:
                raise StoreError(f"{path} is not an SQLite database")
            if write and not (_may_write(path) and _may_write(path.resolve().parent)):
                raise StoreError(f"{path} {_PROBLEMS['SQLITE_READONLY']}")
        elif write:
            folder = next(each for each in path.absolute().parents if each.exists())
            if not folder.is_dir():
                raise StoreError(f"{path} cannot be created: {folder} is not a folder")
            if not _may_write(folder):
                raise StoreError(f"{path} cannot be created: the folder {folder} is read-only; name another with --db")
        else:
            raise StoreError(f"there is no database {path}: arena tournament and arena train create one")
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {message_of(error)}") from None


def _may_write(place: Path) -> bool:
    """Whether this process may write a file, or create files in a folder."""
    rights = os.W_OK | os.X_OK if place.is_dir() else os.W_OK
    return os.access(place, rights, effective_ids=os.access in os.supports_effective_ids)


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be created: {message_of(error)}") from None


def _server(url: URL, location: str) -> Engine:
    try:
        return create_engine(url)
    except (ImportError, NoSuchModuleError) as error:
        raise StoreError(f"{location} needs a driver that is not installed: {message_of(error)}") from None
    except (ArgumentError, TypeError, ValueError) as error:
        raise StoreError(f"{location} is not the URL of a database: {message_of(error)}") from None


def _sqlite_reader(path: Path) -> Engine:
    """Return an engine that opens the file for each use and closes it afterwards."""

    def connect() -> sqlite3.Connection:
        uri = f"{path.absolute().as_uri()}?{_reader_mode(path.resolve())}"
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)
        connection.execute("PRAGMA query_only = ON")
        return connection

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _reader_mode(path: Path) -> str:
    """Return the URI parameter with which SQLite opens a file for reading.

    In WAL mode, a reader creates files beside the database, and removes them only if it may write the database. A
    reader without that right opens the file as immutable, unless there is a log beside it.
    """
    if _may_write(path) and _may_write(path.parent):
        return "mode=rw"
    with path.open("rb") as file:
        wal_mode = file.read(19)[18:] == bytes([_WAL_VERSION])
    return "immutable=1" if wal_mode and not path.with_name(f"{path.name}-wal").exists() else "mode=ro"


def _sqlite_writer(path: Path) -> Engine:
    """Return an engine that takes the write lock when a transaction begins.

    SQLite's default is to take it at the first write. If another program has written since the first read of the
    transaction, the transaction then fails at once, without waiting.
    """
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": BUSY_SECONDS, "isolation_level": None},
        poolclass=NullPool,
    )

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _: Any) -> None:
        connection.execute("PRAGMA foreign_keys = ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        file = connection.info.setdefault("file", _identity(path))
        if file is None or file != _identity(path):
            raise StoreError(f"{path} was moved or replaced while it was written: put it back where it was")
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the device and inode number of a file, or None if the file does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _switch_to_wal(path: Path, say: Callable[[str], object]) -> None:
    """Switch the file to WAL mode if the file system supports it. Wait while programs read it in another mode."""
    with closing(sqlite3.connect(path, timeout=PAUSE_SECONDS, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        for attempt in count():
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    return  # the first write reports the error
                if attempt == _SILENT_ATTEMPTS:
                    say(
                        f"{path} is of an earlier version, and another program is reading it:"
                        " waiting until that program has finished reading"
                    )
                time.sleep(PAUSE_SECONDS)
            else:
                return


def _sync_at_checkpoints(connection: sqlite3.Connection, _: Any) -> None:
    """Sync at checkpoints only. In WAL mode, a power cut can then lose the last transactions, but damages nothing."""
    with suppress(sqlite3.DatabaseError):
        if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
            connection.execute("PRAGMA synchronous = NORMAL")


def _checkpoint_log(connection: sqlite3.Connection, _: Any) -> None:
    """Copy the log into the file, as far as readers allow it. The rest is copied later."""
    with suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _back_up(path: Path, revision: str) -> None:
    """Copy the file to a free name beside it, ``NAME.bak-REVISION``. An incomplete copy never has that name.

    The caller holds the write lock, so that no two processes do this at the same time.
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
        raise StoreError(f"{path} was not upgraded, because its backup failed: {error}") from None


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, "head")
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
