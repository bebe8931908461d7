"""Opening a database: checks that it is ours and which revision it has; every failure is a one-line error.

An SQLite file stays in WAL mode. A reader then never blocks the writer, however long it holds a cursor: the writer
appends to a log beside the file (``-wal``), and the last program that closes the file folds the log into it.
A change of mode needs exclusive access. It is made once, for a new file or one of an earlier version.
"""

from __future__ import annotations

import os
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
"""``ARNA``: marks an SQLite file as ours."""
MIGRATIONS = Path(__file__).with_name("migrations")
"""Revisions are named by the first four letters of their files."""
BUSY_SECONDS = 20.0
"""How long a locked SQLite file is waited for."""
PAUSE_SECONDS = 0.5
"""Time between two attempts to put a file of an earlier version in WAL mode."""
PAGE_BYTES = 8192
"""Of 4096, the default, a game of 2 kB leaves half unused."""
SMALLEST_PAGE = 512
"""Bytes. SQLite takes a shorter file for an empty database, and writes over it."""
_SILENT_ATTEMPTS = 3
"""Attempts before a message says that a reader blocks the change of mode."""

_WAL_VERSION = 2
"""Byte 18 of a file in WAL mode."""
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

    def __init__(
        self, path_or_url: str | os.PathLike[str], *, write: bool, say: Callable[[str], object] = lambda _: None
    ) -> None:
        """Open to write (then it is made or upgraded where needed) or to read.

        ``say`` gets a line if a reader of a file that is not in WAL mode must be waited for.
        """
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
            self._revision(connection, write)
        if self.path and write:
            _write_ahead(self.path, say)
            event.listen(self.engine, "connect", _sync_seldom)
            event.listen(self.engine, "close", _fold)
        if write:
            with self.engine.connect() as connection:
                self._settle(connection)

    def _settle(self, connection: Connection) -> None:
        """Bring the tables to the newest revision."""
        revision = self._revision(connection, write=True)
        if revision == _revisions()[-1]:
            if self.path:  # fails now if the file cannot be written; it is rolled back
                connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
            return
        if revision and self.path:
            _back_up(self.path, revision)
        _upgrade(connection)
        connection.commit()

    def _revision(self, connection: Connection, write: bool) -> str | None:
        """The revision of the tables; None if there are none. Raises StoreError for one that cannot be used."""
        revision = self._stored_revision(connection)
        known = _revisions()
        if revision not in (None, *known):
            raise StoreError(
                f"{self.location} was written by a newer Checkers Arena: upgrade this one"
                f" (the database has revision {shown(revision)}, the program knows {known[-1]})"
            )
        if not write and revision != known[-1]:
            raise StoreError(
                f"{self.location} was written by an older Checkers Arena:"
                " arena tournament, arena train and arena import upgrade it"
                if revision
                else f"{self.location} is empty: arena tournament fills it"
            )
        return revision

    def _stored_revision(self, connection: Connection) -> str | None:
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
        revisions = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
        if len(revisions) != 1 or not isinstance(revisions[0], str):
            raise StoreError(
                f"{self.location} is damaged: its table alembic_version holds {len(revisions)} rows, and not one with"
                " a revision; put a copy in its place"
            )
        return str(revisions[0])

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


def _revisions() -> list[str]:
    """The revisions that this program knows, the oldest first."""
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
    """Raise StoreError if there can be no database of ours at ``path``.

    The file is not opened: a process that closes a file gives up all its POSIX locks on it, those of SQLite included.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a database")
        if path.exists():
            if 0 < path.stat().st_size < SMALLEST_PAGE:
                raise StoreError(f"{path} is not an SQLite database")
            if write and not (_may_write(path) and _may_write(path.resolve().parent)):
                raise StoreError(f"{path} {_TROUBLE['SQLITE_READONLY']}")
        elif write:
            folder = next(each for each in path.absolute().parents if each.exists())
            if not folder.is_dir():
                raise StoreError(f"{path} cannot be made: {folder} is not a folder")
            if not _may_write(folder):
                raise StoreError(f"{path} cannot be made: the folder {folder} is read-only; name another with --db")
        else:
            raise StoreError(f"there is no database {path}: arena tournament makes one, and so does arena train")
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {message_of(error)}") from None


def _may_write(place: Path) -> bool:
    """Whether this process may write a file, or make files in a folder."""
    rights = os.W_OK | os.X_OK if place.is_dir() else os.W_OK
    return os.access(place, rights, effective_ids=os.access in os.supports_effective_ids)


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be made: {message_of(error)}") from None


def _server(url: URL, location: str) -> Engine:
    try:
        return create_engine(url)
    except (ImportError, NoSuchModuleError) as error:
        raise StoreError(f"{location} needs a driver that is not installed: {message_of(error)}") from None
    except (ArgumentError, TypeError, ValueError) as error:
        raise StoreError(f"{location} is not the URL of a database: {message_of(error)}") from None


def _sqlite_reader(path: Path) -> Engine:
    """Opens the file anew for each use, so that nothing is left open between two."""

    def connect() -> sqlite3.Connection:
        uri = f"{path.absolute().as_uri()}?{_way_to_read(path.resolve())}"
        connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)
        connection.execute("PRAGMA query_only = ON")
        return connection

    return create_engine("sqlite://", creator=connect, poolclass=NullPool)


def _way_to_read(path: Path) -> str:
    """How SQLite opens a file to read.

    In WAL mode a reader makes files beside the database, and removes them if it may write the database. A reader that
    may not write reads the file as one that does not change, unless there is a log beside it.
    """
    if _may_write(path) and _may_write(path.parent):
        return "mode=rw"
    with path.open("rb") as file:
        write_ahead = file.read(19)[18:] == bytes([_WAL_VERSION])
    return "immutable=1" if write_ahead and not path.with_name(f"{path.name}-wal").exists() else "mode=ro"


def _sqlite_writer(path: Path) -> Engine:
    """Takes the write lock when a transaction begins, not halfway through, where waiting cannot help."""
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
    """Device and number of the file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _write_ahead(path: Path, say: Callable[[str], object]) -> None:
    """Put the file in WAL mode, if the file system can. Waits for those who read it in another mode."""
    with closing(sqlite3.connect(path, timeout=PAUSE_SECONDS, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        for attempt in count():
            try:
                connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                    return  # what is wrong is said when the file is written
                if attempt == _SILENT_ATTEMPTS:
                    say(
                        f"{path} is of an earlier version, and another program is reading it:"
                        " waiting until that closes the file or its cursor"
                    )
                time.sleep(PAUSE_SECONDS)
            else:
                return


def _sync_seldom(connection: sqlite3.Connection, _: Any) -> None:
    """Sync at checkpoints only: in WAL mode a power cut then costs the last transactions, and damages nothing."""
    with suppress(sqlite3.DatabaseError):
        if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
            connection.execute("PRAGMA synchronous = NORMAL")


def _fold(connection: sqlite3.Connection, _: Any) -> None:
    """Fold the log into the file as far as readers let it; it can be done later."""
    with suppress(sqlite3.DatabaseError):
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
