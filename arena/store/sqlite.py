"""SQLite files: opening them for reading and for writing, their backup before an upgrade, and their errors.

Files are in WAL mode (write-ahead log), in which readers never block the writer: the writer appends to a log beside
the file (``-wal``), and the last program that closes the file copies the log into it. Switching to WAL mode needs
exclusive access. It happens once, for a new file or a file of an earlier version.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.pool import NullPool

from arena.errors import StoreError, message_of
from arena.store.address import READ_ONLY, check_file, may_write

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable
    from pathlib import Path

APPLICATION_ID = 0x41524E41
"""Application id of our SQLite files: ``ARNA`` in ASCII."""
BUSY_SECONDS = 20.0
"""Maximum wait for a locked SQLite file."""
PAUSE_SECONDS = 0.5
"""Time between two attempts to switch a file of an earlier version to WAL mode."""
PAGE_BYTES = 8192
"""Page size of new files. In pages of the default size, 4096, a game of 2 kB wastes half of a page."""
_SILENT_ATTEMPTS = 3
"""Attempts to switch to WAL mode before a message says that a reader blocks it."""

_WAL_VERSION = 2
"""Byte 18 of a file in WAL mode."""
_PROBLEMS = {
    "SQLITE_NOTADB": "is not an SQLite database",
    "SQLITE_CORRUPT": "is damaged: replace it with a backup, or save what is readable with sqlite3's .recover",
    "SQLITE_BUSY": "is locked by another program: try again when that program has ended",
    "SQLITE_READONLY": READ_ONLY,
    "SQLITE_CANTOPEN": "cannot be opened: it or its folder may not be read or written",
    "SQLITE_FULL": "cannot grow: the disk is full; make room",
    "SQLITE_IOERR": "cannot be read or written: the disk is full, gone or failing",
}


class SQLiteFile:
    """A database in an SQLite file. See :class:`arena.store.database.Backend`."""

    def __init__(self, path: Path, say: Callable[[str], object]) -> None:
        self.path = path
        self.location = str(path)
        self._say = say

    def reader(self) -> Engine:
        """Return an engine that opens the file for each use and closes it afterwards.

        A transaction sees the database as it was at its first read.
        """
        path = self.path
        check_file(path, write=False)

        def connect() -> sqlite3.Connection:
            check_file(path, write=False)
            uri = f"{path.absolute().as_uri()}?{_reader_mode(path.resolve())}"
            connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
            connection.execute("PRAGMA query_only = ON")
            return connection

        engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        return engine

    def writer(self) -> Engine:
        """Return an engine that takes the write lock when a transaction begins.

        SQLite's default is to take it at the first write. If another program has written since the first read of the
        transaction, the transaction then fails at once, without waiting.
        """
        check_file(self.path, write=True)
        _make_folder(self.path)
        path = self.path
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

    def is_foreign(self, connection: Connection, tables: Collection[str]) -> bool:
        """Whether another program made the file. It is ours if it has our application id, or nothing in it."""
        application_id = connection.exec_driver_sql("PRAGMA application_id").scalar_one()
        return application_id != APPLICATION_ID and bool(application_id or tables)

    def prepare(self, engine: Engine) -> None:
        """Switch the file to WAL mode, and make the engine sync and checkpoint accordingly."""
        _switch_to_wal(self.path, self._say)
        event.listen(engine, "connect", _sync_at_checkpoints)
        event.listen(engine, "close", _checkpoint_log)

    def check_rights(self, connection: Connection) -> None:
        """Write to the file on trial: a read-only file is an error now, not later. The caller rolls it back."""
        self.mark(connection)

    def before_upgrade(self, connection: Connection, revision: str | None) -> None:  # noqa: ARG002
        """Copy the file to ``NAME.bak-REVISION``."""
        if revision:
            _back_up(self.path, revision)

    def mark(self, connection: Connection) -> None:
        """Give the file our application id."""
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")

    def change_token(self, engine: Engine) -> Hashable:  # noqa: ARG002
        """Return the times and sizes of the file and of its write-ahead log."""
        parts = []
        for file in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            with suppress(OSError):
                status = file.stat()
                if status.st_size:  # readers create and remove an empty log
                    parts.append((file.name, status.st_ino, status.st_mtime_ns, status.st_size))
        return tuple(parts)

    def error(self, error: BaseException, *, is_lost: bool) -> StoreError:  # noqa: ARG002
        """Return the StoreError for an error of SQLite."""
        code = "_".join(getattr(error, "sqlite_errorname", "").split("_")[:2])
        return StoreError(f"{self.location} {_PROBLEMS.get(code) or f'cannot be used: {first_line(error)}'}")


def first_line(error: BaseException) -> str:
    """Return the first line of the message of an error."""
    return str(error).strip().partition("\n")[0]


def _make_folder(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be created: {message_of(error)}") from None


def _reader_mode(path: Path) -> str:
    """Return the URI parameter with which SQLite opens a file for reading.

    In WAL mode, a reader creates files beside the database, and removes them only if it may write the database. A
    reader without that right opens the file as immutable, unless there is a log beside it.
    """
    if may_write(path) and may_write(path.parent):
        return "mode=rw"
    with path.open("rb") as file:
        wal_mode = file.read(19)[18:] == bytes([_WAL_VERSION])
    return "immutable=1" if wal_mode and not path.with_name(f"{path.name}-wal").exists() else "mode=ro"


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
