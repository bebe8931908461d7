"""What is opened, upgraded and refused; a refusal is one line and changes nothing."""

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

from arena.contracts.rating import PlayerRating
from arena.errors import StoreError
from arena.store import Results, Store, database
from arena.store.names import numbered
from arena.store.runs import LearnerIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity

    Players = tuple[PlayerIdentity, ...]

NEWEST = "0010"
NEXT = f"{int(NEWEST) + 1:04}"
OPENERS = pytest.mark.parametrize("opened", [Store.open, Results], ids=["write", "read"])


def refusal(opened: Callable[[Any], Any], path: object) -> str:
    """The line by which ``path`` is refused."""
    with pytest.raises(StoreError) as caught:
        opened(path)
    line = str(caught.value)
    assert "\n" not in line
    assert str(path) in line
    return line


def make(path_or_url: Path | str) -> None:
    """Make a database with nothing in it."""
    database.Database(path_or_url, write=True).engine.dispose()


def pragma(path: Path, name: str) -> Any:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def revision(path: Path) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


@pytest.fixture
def ours(path: Path, identities: Players) -> Path:
    """A database with one tournament."""
    with Store.open(path) as store:
        store.create_tournament("spring", 1, {}, identities)
    return path


def test_a_database_is_made_with_its_folder_and_marked_as_ours(path: Path) -> None:
    make(path)
    assert pragma(path, "application_id") == 0x41524E41
    assert revision(path) == NEWEST


def test_it_is_in_wal_mode_for_good_and_left_as_one_file(path: Path) -> None:
    make(path)
    with Store.open(str(path)):
        assert pragma(path, "journal_mode") == "wal"
    assert pragma(path, "journal_mode") == "wal"
    assert [file.name for file in path.parent.iterdir()] == ["arena.sqlite"]


def test_a_url_names_the_same_file(path: Path) -> None:
    make(f"sqlite:///{path}")
    with Results(path) as results:
        assert results.location == str(path)
        assert results.tournaments().empty


def test_names_that_mean_something_in_a_uri_are_plain_names(tmp_path: Path) -> None:
    path = tmp_path / "what? 100%25 #1" / "a b.sqlite"
    make(path)
    with Results(path) as results:
        assert results.tournaments().empty


def test_an_empty_file_is_filled_but_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    path.touch()
    assert "is empty" in refusal(Results, path)
    Store.open(path).close()
    assert revision(path) == NEWEST


def test_reading_a_missing_file_says_what_makes_one_and_makes_none(path: Path) -> None:
    assert "arena tournament makes one" in refusal(Results, path)
    assert not path.parent.exists()


@OPENERS
def test_a_folder_is_refused(tmp_path: Path, opened: Callable[[Any], Any]) -> None:
    assert "is a folder" in refusal(opened, tmp_path)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "file is not a folder" in refusal(Store.open, tmp_path / "file" / "arena.sqlite")


def test_nothing_is_made_before_there_is_something_to_record(path: Path, identities: Players) -> None:
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
def test_a_file_of_another_kind_is_refused(tmp_path: Path, opened: Callable[[Any], Any], content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert "is not an SQLite database" in refusal(opened, path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@OPENERS
@pytest.mark.parametrize("mark", [0, 0x47504B47])
def test_the_database_of_another_program_is_refused(tmp_path: Path, opened: Callable[[Any], Any], mark: int) -> None:
    path = tmp_path / "browser.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {mark}")
        connection.execute("CREATE TABLE games (id INTEGER)")
        connection.commit()
    content = path.read_bytes()
    assert "belongs to another program" in refusal(opened, path)
    assert path.read_bytes() == content


@OPENERS
def test_a_truncated_file_is_refused(ours: Path, opened: Callable[[Any], Any]) -> None:
    content = ours.read_bytes()[:-20_000]
    ours.write_bytes(content)
    assert "is damaged" in refusal(opened, ours)
    assert ours.read_bytes() == content


@OPENERS
def test_a_file_with_a_damaged_schema_is_refused(ours: Path, opened: Callable[[Any], Any]) -> None:
    content = ours.read_bytes()
    content = content[:100] + b"\xff" * 4000 + content[4100:]
    ours.write_bytes(content)
    assert "is damaged" in refusal(opened, ours)
    assert ours.read_bytes() == content


def test_damage_that_shows_later_is_one_line_too(ours: Path, record: Callable[..., GameRecord]) -> None:
    with Store.open(ours) as store, store.recorder(1) as recorder:
        for number in range(300):
            recorder.add(record(number))
    content = ours.read_bytes()
    sound = len(content) * 3 // 4  # schema and first games
    ours.write_bytes(content[:sound] + b"\xff" * (len(content) - sound))
    with (
        Results(ours) as results,
        pytest.raises(StoreError, match="is damaged: put a copy in its place"),
    ):
        results.positions()


@pytest.fixture
def theirs(ours: Path) -> Iterator[Path]:
    """The same, where this process may read but not write; root, who may write anywhere, is nobody for the time."""
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


def test_a_place_that_cannot_be_written_is_refused_but_read(theirs: Path) -> None:
    assert "cannot be written: it or its folder is read-only" in refusal(Store.open, theirs)
    assert "is read-only; name another" in refusal(Store.open, theirs.with_name("new.sqlite"))
    with Results(theirs) as results:
        assert results.tournaments()["name"].tolist() == ["spring"]


def test_a_file_that_another_program_writes_can_be_read_but_not_written(
    ours: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    with closing(sqlite3.connect(ours)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "is locked by another program" in refusal(Store.open, ours)
        with Results(ours) as results:
            assert results.tournaments()["name"].tolist() == ["spring"]
    Store.open(ours).close()


def test_where_the_file_system_has_no_wal_mode_games_are_recorded_all_the_same(
    path: Path, identities: Players, monkeypatch: pytest.MonkeyPatch, record: Callable[..., GameRecord]
) -> None:
    monkeypatch.setattr(database, "_write_ahead", lambda *_: None)
    with Store.open(path) as store:
        store.create_tournament("spring", 1, {}, identities)
        with store.recorder(1) as recorder:
            recorder.add(record(0))
    assert pragma(path, "journal_mode") == "delete"
    with Results(path) as results:
        assert len(results.games()) == 1


@OPENERS
def test_a_newer_revision_is_refused(ours: Path, opened: Callable[[Any], Any]) -> None:
    with closing(sqlite3.connect(ours)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    content = ours.read_bytes()
    assert "written by a newer Checkers Arena" in refusal(opened, ours)
    assert ours.read_bytes() == content
    assert [file.name for file in ours.parent.iterdir()] == ["arena.sqlite"]


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """``next_version(body)`` makes this the program of the future, whose next migration runs ``body``."""

    def install(body: str) -> None:
        migrations = tmp_path / "future 100%"
        shutil.copytree(database.MIGRATIONS, migrations)
        (migrations / "versions" / f"{NEXT}_next.py").write_text(
            "from alembic import op\nimport sqlalchemy as sa\n"
            f'revision = "{NEXT}"\ndown_revision = "{NEWEST}"\n'
            f"def upgrade():\n    {body}\n"
        )
        monkeypatch.setattr(database, "MIGRATIONS", migrations)

    return install


def test_an_older_revision_is_backed_up_and_upgraded(
    ours: Path, next_version: Callable[[str], None], identities: Players
) -> None:
    next_version('op.add_column("tournaments", sa.Column("place", sa.Text))')
    assert "older Checkers Arena" in refusal(Results, ours)
    with Store.open(ours) as store:
        store.create_tournament("autumn", 2, {}, identities)
    backup = ours.with_name(f"arena.sqlite.bak-{NEWEST}")
    assert (revision(ours), revision(backup)) == (NEXT, NEWEST)
    for path, names in ((ours, ["spring", "autumn"]), (backup, ["spring"])):
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("SELECT * FROM tournaments").fetchall()
        assert [row[1] for row in rows] == names
        assert {len(row) for row in rows} == {8 if path == ours else 7}
    Store.open(ours).close()
    assert sorted(file.name for file in ours.parent.iterdir()) == ["arena.sqlite", f"arena.sqlite.bak-{NEWEST}"]


@pytest.fixture(params=["0001", "0002", "0003", "0004"])
def older(
    request: pytest.FixtureRequest,
    path: Path,
    tmp_path: Path,
    record: Callable[..., GameRecord],
    identities: Players,
    as_older: Callable[[Path, Path, str], None],
) -> tuple[Path, str]:
    """A database with games, as an older version of the program left it, and its revision."""
    path.parent.mkdir()
    with Store.open(tmp_path / "newest.sqlite") as store:
        for name, changes in (("spring", {}), ("swiss", {"format": "swiss"}), ("test", {"sprt": {"elo0": 0}})):
            tournament = store.create_tournament(name, 1, {"games": 20, **changes}, identities)
            with store.recorder(tournament.id) as recorder:
                for number in range(20):
                    recorder.add(record(number))
    as_older(tmp_path / "newest.sqlite", path, request.param)
    return path, request.param


def test_a_database_of_an_older_version_keeps_its_games(older: tuple[Path, str]) -> None:
    def rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
        with closing(sqlite3.connect(path)) as connection:
            columns = {
                "players": "id, spec, name, distribution, version, weights",
                "tournaments": "id, name, seed, settings, version, started",
                "games": "tournament_id, id, pairing, round, opening, black_id, white_id, result, moves",
            }
            names = (*columns, "tournament_players", "ratings", "v_standings")
            return {
                name: connection.execute(f"SELECT {columns.get(name, '*')} FROM {name}").fetchall() for name in names
            }

    path, number = older
    before = rows(path)
    assert revision(path) == number
    assert len(before["games"]) == 60
    assert "arena import upgrade" in refusal(Results, path)
    with Store.open(path) as store:
        assert len(store.finished(1)) == 20
    assert revision(path) == NEWEST
    assert rows(path) == before == rows(path.with_name(f"arena.sqlite.bak-{number}"))
    with Results(path) as results:
        assert results.collected().empty
        assert results.runs().empty
        planned = results.tournaments().set_index("name")["planned"]
        # 3 players meet in 3 pairings, or for 2 rounds of a swiss tournament in 1; a test may have ended its match.
        assert planned[["spring", "swiss"]].tolist() == [60, 40]
        assert planned[["test"]].isna().all()
        assert results.games("spring")["name"].tolist() == [f"spring/{number}" for number in range(1, 21)]


def test_standings_of_an_older_version_show_the_first_system_that_was_asked_for(
    path: Path,
    tmp_path: Path,
    record: Callable[..., GameRecord],
    identities: Players,
    as_older: Callable[[Path, Path, str], None],
) -> None:
    path.parent.mkdir()
    with Store.open(tmp_path / "newest.sqlite") as store:
        for name, asked in (("spring", ["glicko2 : tau=0.4", "davidson"]), ("autumn", ["davidson", "glicko2"])):
            key = store.create_tournament(name, 1, {"ratings": asked}, identities).id
            with store.recorder(key) as recorder:
                recorder.add(record(0))
            for place, (system, rating) in enumerate((("davidson", 7.0), ("glicko2:tau=0.4", 1507.0))):
                table = [PlayerRating(each.spec, rating, 1.0, 1) for each in identities]
                store.save_ratings(key, system, table, place)
    as_older(tmp_path / "newest.sqlite", path, "0006")
    Store.open(path).close()
    with Results(path) as results:
        for name, systems, rating in (
            ("spring", ["glicko2:tau=0.4", "davidson"], 1507.0),
            ("autumn", ["davidson", "glicko2:tau=0.4"], 7.0),
        ):
            assert results.ratings(name)["system"].unique().tolist() == systems
            assert results.standings(name)["rating"].unique().tolist() == [rating]


def test_a_backup_never_replaces_a_file(ours: Path, next_version: Callable[[str], None]) -> None:
    next_version("pass")
    taken = ours.with_name(f"arena.sqlite.bak-{NEWEST}")
    taken.write_text("precious")
    Store.open(ours).close()
    assert taken.read_text() == "precious"
    assert revision(ours.with_name(f"arena.sqlite.bak-{NEWEST}-2")) == NEWEST
    assert revision(ours) == NEXT


def test_an_upgrade_that_fails_changes_nothing(ours: Path, next_version: Callable[[str], None]) -> None:
    next_version('op.drop_table("ratings"); op.execute("SELECT nonsense")')
    assert "no such column: nonsense" in refusal(Store.open, ours)
    assert revision(ours) == NEWEST
    with closing(sqlite3.connect(ours)) as connection:
        assert connection.execute("SELECT count(*) FROM ratings").fetchone() == (0,)


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("://nothing", "neither a path nor the URL"),
        ("nosuch://host/db", "needs a driver that is not installed"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        (":memory:", "in memory"),
        ("", "in memory"),
    ],
)
def test_other_urls_are_refused(url: str, line: str) -> None:
    with pytest.raises(StoreError, match=line):
        Store.open(url)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as caught:
        Store.open("nosuch://arena:secret@host/db")
    assert "secret" not in str(caught.value)


def test_errors_of_the_driver_do_not_get_through(ours: Path) -> None:
    with Results(ours) as results, pytest.raises(StoreError) as caught:
        results._database.engine.connect().exec_driver_sql("SELECT nonsense")
    assert not isinstance(caught.value, OperationalError)


@OPENERS
@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ("DELETE FROM alembic_version", 0),
        ("INSERT INTO alembic_version VALUES ('0001')", 2),
    ],
)
def test_a_database_without_its_one_revision_is_refused(
    ours: Path, opened: Callable[[Any], Any], change: str, rows: int
) -> None:
    with closing(sqlite3.connect(ours)) as connection:
        connection.execute(change)
        connection.commit()
    before = ours.read_bytes()
    assert f"its table alembic_version holds {rows} rows" in refusal(opened, ours)
    assert ours.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["a\0b", "x" * 300, "postgresql://host:port/db", "nonsense://x", "sqlite://", "://", "sqlite:///a\0b"]
)
@OPENERS
def test_a_name_that_no_database_can_have_is_refused(opened: Callable[[Any], Any], name: str) -> None:
    with pytest.raises(StoreError) as caught:
        opened(name)
    assert "\n" not in str(caught.value)
