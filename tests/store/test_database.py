"""Opening databases. A file that is refused with a one-line message is not changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.exc import OperationalError

from arena.errors import StoreError
from arena.store import Results, Store, database, sqlite
from arena.store.names import numbered
from arena.store.runs import LearnerIdentity
from databases import NEWEST, refusal, revision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity

    Players = tuple[PlayerIdentity, ...]

OPENERS = pytest.mark.parametrize("opened", [Store.open, Results], ids=["write", "read"])


def create(path_or_url: Path | str) -> None:
    """Create an empty database."""
    database.Database(path_or_url, write=True).engine.dispose()


def pragma(path: Path, name: str) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_new_database_has_its_folder_application_id_and_revision(path: Path) -> None:
    create(path)
    assert pragma(path, "application_id") == 0x41524E41
    assert revision(path) == NEWEST


def test_closed_database_is_one_file_in_wal_mode(path: Path) -> None:
    create(path)
    with Store.open(str(path)):
        assert pragma(path, "journal_mode") == "wal"
    assert pragma(path, "journal_mode") == "wal"
    assert [file.name for file in path.parent.iterdir()] == ["arena.sqlite"]


def test_path_and_url_name_the_same_file(path: Path) -> None:
    create(f"sqlite:///{path}")
    with Results(path) as results:
        assert results.location == str(path)
        assert results.tournaments().empty


def test_special_characters_of_uris_may_be_part_of_a_path(tmp_path: Path) -> None:
    path = tmp_path / "what? 100%25 #1" / "a b.sqlite"
    create(path)
    with Results(path) as results:
        assert results.tournaments().empty


def test_empty_file_can_be_written_but_not_read(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    path.touch()
    assert "is empty" in refusal(Results, path)
    Store.open(path).close()
    assert revision(path) == NEWEST


def test_reading_a_missing_file_names_the_commands_that_create_one(path: Path) -> None:
    assert "arena train create one" in refusal(Results, path)
    assert not path.parent.exists()


@OPENERS
def test_folder_is_refused(tmp_path: Path, opened: Callable[[Any], Any]) -> None:
    assert "is a folder" in refusal(opened, tmp_path)


def test_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "file is not a folder" in refusal(Store.open, tmp_path / "file" / "arena.sqlite")


def test_database_is_created_at_the_first_record(path: Path, identities: Players) -> None:
    with Store.open(path) as store:
        for name in ("", "last", "all", "17", "\udcff", "a\0b"):
            with pytest.raises(StoreError, match="cannot be named"):
                store.create_tournament(name, 1, {}, identities)
            with pytest.raises(StoreError, match="cannot be named"):
                store.create_tournament(numbered(name), 1, {}, identities)
        with pytest.raises(StoreError, match="each player once"):
            store.create_tournament("twins", 1, {}, identities[:1] * 2)
        with pytest.raises(StoreError, match="cannot be named"):
            store.runs.create("a run", LearnerIdentity("lms", "test", "1"), 1, 1, {})
        with pytest.raises(StoreError, match="cannot be named"):
            store.collector("all")
        assert not path.parent.exists()
        store.create_tournament("spring", 1, {}, identities)
    assert path.exists()


@OPENERS
@pytest.mark.parametrize("content", [b"x", b"name,score\n" * 200, os.urandom(9000)], ids=["byte", "csv", "noise"])
def test_file_of_another_kind_is_refused(tmp_path: Path, opened: Callable[[Any], Any], content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert "is not an SQLite database" in refusal(opened, path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@OPENERS
@pytest.mark.parametrize("mark", [0, 0x47504B47])
def test_database_of_another_program_is_refused(tmp_path: Path, opened: Callable[[Any], Any], mark: int) -> None:
    path = tmp_path / "browser.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {mark}")
        connection.execute("CREATE TABLE games (id INTEGER)")
        connection.commit()
    content = path.read_bytes()
    assert "belongs to another program" in refusal(opened, path)
    assert path.read_bytes() == content


@OPENERS
def test_truncated_file_is_refused(ours: Path, opened: Callable[[Any], Any]) -> None:
    content = ours.read_bytes()[:-20_000]
    ours.write_bytes(content)
    assert "is damaged" in refusal(opened, ours)
    assert ours.read_bytes() == content


@OPENERS
def test_file_with_a_damaged_schema_is_refused(ours: Path, opened: Callable[[Any], Any]) -> None:
    content = ours.read_bytes()
    content = content[:100] + b"\xff" * 4000 + content[4100:]
    ours.write_bytes(content)
    assert "is damaged" in refusal(opened, ours)
    assert ours.read_bytes() == content


def test_damage_found_while_reading_is_a_store_error(ours: Path, record: Callable[..., GameRecord]) -> None:
    with Store.open(ours) as store, store.recorder(1) as recorder:
        for number in range(300):
            recorder.add(record(number))
    content = ours.read_bytes()
    sound = len(content) * 3 // 4  # schema and first games
    ours.write_bytes(content[:sound] + b"\xff" * (len(content) - sound))
    with (
        Results(ours) as results,
        pytest.raises(StoreError, match="is damaged: replace it with a backup"),
    ):
        results.positions()


@pytest.fixture
def theirs(ours: Path) -> Iterator[Path]:
    """A copy of ``ours`` that this process may read but not write. For root, the process changes to another user."""
    if not hasattr(os, "geteuid"):
        pytest.skip("needs POSIX permissions")
    with TemporaryDirectory() as folder:
        path = Path(shutil.copy(ours, folder))
        path.chmod(0o444)
        path.parent.chmod(0o555)
        root = os.geteuid() == 0
        try:
            if root:
                os.seteuid(65534)
            yield path
        finally:
            if root:
                os.seteuid(0)
            path.parent.chmod(0o755)


def test_read_only_database_can_be_read_but_not_written(theirs: Path) -> None:
    assert "cannot be written: it or its folder is read-only" in refusal(Store.open, theirs)
    assert "is read-only; name another" in refusal(Store.open, theirs.with_name("new.sqlite"))
    with Results(theirs) as results:
        assert results.tournaments()["name"].tolist() == ["spring"]


def test_locked_database_can_be_read_but_not_written(ours: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(ours)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "is locked by another program" in refusal(Store.open, ours)
        with Results(ours) as results:
            assert results.tournaments()["name"].tolist() == ["spring"]
    Store.open(ours).close()


def test_games_are_recorded_without_wal_mode(
    path: Path, identities: Players, monkeypatch: pytest.MonkeyPatch, record: Callable[..., GameRecord]
) -> None:
    monkeypatch.setattr(sqlite, "_switch_to_wal", lambda *_: None)
    with Store.open(path) as store:
        store.create_tournament("spring", 1, {}, identities)
        with store.recorder(1) as recorder:
            recorder.add(record(0))
    assert pragma(path, "journal_mode") == "delete"
    with Results(path) as results:
        assert len(results.games()) == 1


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("://nothing", "neither a path nor the URL"),
        ("nosuch://host/db", "is not a supported database: name an SQLite file, or write postgresql"),
        ("postgresql+psycopg2://host/db", "is not a supported database"),
        ("postgresql://host", "names no database"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        (":memory:", "in memory"),
        ("", "in memory"),
    ],
)
def test_unusable_urls_are_refused(url: str, line: str) -> None:
    with pytest.raises(StoreError, match=line):
        Store.open(url)


def test_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as caught:
        Store.open("nosuch://arena:secret@host/db")
    assert "secret" not in str(caught.value)


def test_errors_of_the_driver_become_store_errors(ours: Path) -> None:
    with Results(ours) as results, pytest.raises(StoreError) as caught:
        results._database.engine.connect().exec_driver_sql("SELECT nonsense")
    assert not isinstance(caught.value, OperationalError)


@pytest.mark.parametrize(
    "name", ["a\0b", "x" * 300, "postgresql://host:port/db", "nonsense://x", "sqlite://", "://", "sqlite:///a\0b"]
)
@OPENERS
def test_impossible_names_are_refused_in_one_line(opened: Callable[[Any], Any], name: str) -> None:
    with pytest.raises(StoreError) as caught:
        opened(name)
    assert "\n" not in str(caught.value)
