"""Readers never block the recorder, and leave no files behind."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from arena.errors import StoreError
from arena.plugins.models import ModelResolver
from arena.store import Results, Store, sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity

    Record = Callable[..., GameRecord]


@contextmanager
def plain_cursor(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT * FROM games")
        assert rows.fetchone()
        yield


@contextmanager
def pandas_chunks(path: Path) -> Iterator[None]:
    with closing(sqlite3.connect(path)) as connection:
        chunks = pd.read_sql("SELECT * FROM v_games", connection, chunksize=1)
        assert len(next(iter(chunks))) == 1
        yield


@contextmanager
def half_an_export(path: Path) -> Iterator[None]:
    with Results(path) as results:
        games = results.pdn("spring")
        assert next(games)
        yield


READERS = pytest.mark.parametrize("reader", [plain_cursor, pandas_chunks, half_an_export])


@pytest.fixture
def store(path: Path, identities: tuple[PlayerIdentity, ...], record: Record) -> Iterator[Store]:
    """An open store with a tournament of ten games."""
    with Store.open(path) as store:
        store.create_tournament("spring", 1, {}, identities)
        add(store, record, range(10))
        yield store


def add(store: Store, record: Record, rounds: range) -> None:
    with store.recorder(1) as recorder:
        for number in rounds:
            recorder.add(record(number))


def games(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM games").fetchone()[0])


@READERS
def test_earlier_reader_does_not_block_the_recorder(
    path: Path,
    store: Store,
    record: Record,
    reader: Callable[[Path], AbstractContextManager[None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    store.close()
    with reader(path):
        with Store.open(path) as again:
            add(again, record, range(10, 20))
            assert games(path) == 20
        assert games(path) == 20
    assert games(path) == 20
    assert os.listdir(path.parent) == ["arena.sqlite"]  # noqa: PTH208


@READERS
def test_later_reader_does_not_block_the_recorder(
    path: Path,
    store: Store,
    record: Record,
    reader: Callable[[Path], AbstractContextManager[None]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with reader(path):
        add(store, record, range(10, 20))
        store.close()
    assert games(path) == 20
    assert os.listdir(path.parent) == ["arena.sqlite"]  # noqa: PTH208


def test_closed_file_is_complete_while_others_have_it_open(path: Path, store: Store, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path)) as idle:
        idle.execute("SELECT * FROM games").fetchall()
        store.close()
        assert games(shutil.copy(path, tmp_path / "copy.sqlite")) == 10


def test_switch_to_wal_mode_waits_for_a_reader(
    path: Path, store: Store, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PAUSE_SECONDS", 0.01)
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    reported, lines = threading.Event(), list[str]()

    def say(line: str) -> None:
        lines.append(line)
        reported.set()

    def write() -> None:
        with Store.open(path, say) as again:
            add(again, record, range(10, 20))

    with plain_cursor(path):
        writer = threading.Thread(target=write)
        writer.start()
        assert reported.wait(60)
    writer.join()
    assert lines == [
        f"{path} is of an earlier version, and another program is reading it:"
        " waiting until that program has finished reading"
    ]
    assert games(path) == 20


KILLED = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("UPDATE tournaments SET name = 'winter'")
connection.commit()
os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_a_writer(path: Path) -> None:
    """Run a process that changes the tournament's name and is killed before it copies the log into the file."""
    done = subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.with_name(f"{path.name}-wal").stat().st_size


def names(path: Path) -> list[Any]:
    with Results(path) as results:
        return results.tournaments()["name"].tolist()


@pytest.mark.skipif(os.name != "posix", reason="kills a process")
def test_log_of_a_killed_writer_is_read_and_removed(path: Path, store: Store) -> None:
    store.close()
    kill_a_writer(path)
    assert names(path) == ["winter"]
    assert os.listdir(path.parent) == ["arena.sqlite"]  # noqa: PTH208


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX locks")
def test_reading_in_the_writing_process_keeps_the_locks(
    path: Path, store: Store, identities: tuple[PlayerIdentity, ...]
) -> None:
    """If the locks were lost, another program that closes the file would be the last one, and remove the log."""
    store.create_tournament("summer", 1, {}, identities)
    assert names(path) == ["spring", "summer"]
    with pytest.raises(StoreError, match="holds no model"):
        ModelResolver(path).resolve("@abcdef")
    read = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM games').fetchall()"
    subprocess.run([sys.executable, "-c", read, path], check=True)
    assert path.with_name(f"{path.name}-wal").exists()
    store.create_tournament("autumn", 1, {}, identities)
    assert names(path) == ["spring", "summer", "autumn"]


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Make a folder and its files read-only for this process. For root, the process changes to another user."""
    root = os.geteuid() == 0
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    try:
        if root:
            os.seteuid(65534)
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX permissions")
@pytest.mark.parametrize("killed", [False, True], ids=["closed", "killed"])
def test_reading_a_read_only_folder_changes_nothing(path: Path, store: Store, killed: bool) -> None:
    def content() -> dict[str, bytes]:
        return {file.name: file.read_bytes() for file in copy.parent.iterdir()}

    store.close()
    with TemporaryDirectory() as folder:
        copy = Path(folder, "arena.sqlite")
        shutil.copy(path, copy)
        if killed:
            kill_a_writer(copy)
        before = content()
        with as_nobody(copy.parent):
            assert names(copy) == ["winter" if killed else "spring"]
        assert content() == before
