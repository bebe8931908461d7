"""PostgreSQL databases: who may open them, what is refused, and what survives a restart of the server."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus

import numpy as np
import pytest
from sqlalchemy import create_engine, inspect, make_url

import servers
from arena.cli.app import run
from arena.cli.options import DB_VARIABLE, db_words
from arena.contracts.model import Model
from arena.errors import StoreError
from arena.store import Results, Store, database, postgresql
from arena.store.schema import metadata
from databases import NEWEST, opened, rows
from inventing import PLAYERS, make_games, make_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from servers import Server, StartedServer

pytestmark = pytest.mark.postgres
OPENERS = pytest.mark.parametrize("opened_as", [Store.open, Results], ids=["write", "read"])


@pytest.fixture
def empty(postgres: Server) -> Iterator[str]:
    """The URL of a database without tables."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def db(postgres: Server) -> Iterator[str]:
    """The URL of a database with the tournament ``spring``."""
    with postgres.empty_database() as url:
        with Store.open(url) as store:
            tournament = store.create_tournament("spring", 1, {}, PLAYERS)
            with store.recorder(tournament.id) as recorder:
                for game in make_games(1, 5):
                    recorder.add(game)
        yield url


@pytest.fixture(scope="module")
def own() -> Iterator[StartedServer]:
    """A server that tests may stop."""
    server = servers.started()
    try:
        yield server
    finally:
        server.remove()


def refusal(url: str, opened_as: Callable[[str], Any] = Store.open) -> str:
    """Return the message with which a database is refused. It is one line without the password."""
    with pytest.raises(StoreError) as caught:
        opened_as(url)
    line = str(caught.value)
    assert "\n" not in line
    assert servers.PASSWORD not in line
    return line


def test_first_use_makes_the_tables_and_marks_them(empty: str) -> None:
    assert "is empty: arena tournament fills it" in refusal(empty, Results)
    Store.open(empty).close()
    assert rows(empty, "SELECT version_num FROM alembic_version") == [(NEWEST,)]
    assert rows(empty, "SELECT obj_description('alembic_version'::regclass)") == [("Checkers Arena",)]
    Results(empty).close()


def test_migrations_and_tables_agree(empty: str, postgres: Server) -> None:
    def definitions(url: str) -> dict[str, Any]:
        engine = create_engine(url)
        inspector = inspect(engine)
        found: dict[str, Any] = {}
        for table in metadata.tables:
            columns = [
                (each["name"], str(each["type"]).partition(" COLLATE")[0], each["nullable"], each["default"])
                for each in inspector.get_columns(table)
            ]
            found[table] = [
                sorted(columns),
                inspector.get_pk_constraint(table)["constrained_columns"],
                sorted(
                    (each["constrained_columns"], each["referred_table"]) for each in inspector.get_foreign_keys(table)
                ),
                sorted(each["sqltext"] for each in inspector.get_check_constraints(table)),
                sorted(each["column_names"] for each in inspector.get_unique_constraints(table)),
                sorted(str(each) for each in inspector.get_indexes(table) if "duplicates_constraint" not in each),
            ]
        engine.dispose()
        return found

    Store.open(empty).close()
    with postgres.database() as plain:
        engine = create_engine(plain)
        metadata.create_all(engine)
        engine.dispose()
        assert definitions(empty) == definitions(plain)


def test_texts_are_ordered_by_code_points_whatever_the_collation_of_the_server(db: str) -> None:
    collations = "SELECT table_name, column_name, collation_name FROM information_schema.columns"
    ours = f"{collations} WHERE table_schema = 'public' AND data_type = 'text' AND table_name NOT LIKE 'v\\_%'"
    assert {name for *_, name in rows(db, ours)} == {"C"}


@OPENERS
def test_tables_of_another_program_are_refused_and_unchanged(empty: str, opened_as: Callable[[str], Any]) -> None:
    with opened(empty) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num varchar(32))")
        connection.execute("INSERT INTO alembic_version VALUES ('0001')")
        connection.commit()
    assert "belongs to another program: name another database" in refusal(empty, opened_as)
    assert rows(empty, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'") == [("alembic_version",)]


@OPENERS
def test_a_newer_revision_is_refused(db: str, opened_as: Callable[[str], Any]) -> None:
    with opened(db) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    try:
        assert "was written by a newer Checkers Arena: upgrade this one" in refusal(db, opened_as)
    finally:
        with opened(db) as connection:
            connection.execute(f"UPDATE alembic_version SET version_num = '{NEWEST}'")
            connection.commit()


def test_another_encoding_is_refused(postgres: Server) -> None:
    with postgres.database("ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'") as url:
        assert "has the encoding LATIN1: create it with createdb --encoding UTF8" in refusal(url)
        assert rows(url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


@OPENERS
def test_a_server_or_database_that_is_not_there_is_one_line(
    own: StartedServer, opened_as: Callable[[str], Any]
) -> None:
    host = own.url("postgres", host="127.0.0.1", port=1, query={})
    assert "cannot be reached" in refusal(host, opened_as)
    assert "Connection refused; start the server, or name another" in refusal(host, opened_as)
    assert "No such file or directory" in refusal(own.url("postgres", query={"host": "/nosuch"}), opened_as)
    assert 'database "nosuch" does not exist; create it with createdb' in refusal(own.url("nosuch"), opened_as)
    assert 'role "nobody" does not exist' in refusal(own.url("postgres", username="nobody"), opened_as)
    assert "check the name of the host" in refusal(
        own.url("postgres", host="no.such.host.invalid", query={}), opened_as
    )


@OPENERS
def test_a_wrong_or_missing_password_is_one_line(
    own: StartedServer, opened_as: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    guarded = {"username": servers.GUARDED}
    wrong = refusal(own.url("postgres", **guarded, password=f"not {servers.PASSWORD}"), opened_as)
    assert "password authentication failed" in wrong
    assert "check the name of the role and its password" in wrong
    assert f"{servers.GUARDED}:***@" in wrong
    assert "set the variable PGPASSWORD" in refusal(own.url("postgres", **guarded), opened_as)


def test_the_password_is_shown_nowhere(
    own: StartedServer, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.execute(f"CREATE DATABASE private OWNER {servers.GUARDED}")
    url = own.url("private", username=servers.GUARDED, password=servers.PASSWORD)
    with Store.open(url) as store:
        assert "***" in store.location
        assert servers.PASSWORD not in store.location
        store.create_tournament("spring", 1, {}, PLAYERS)
    with Results(url) as results:
        assert servers.PASSWORD not in results.location
    assert run(["db", "info", "--db", url]) == 0
    assert run(["db", "check", "--db", url]) == 0
    assert run(["db", "copy", url, str(tmp_path / "copy.sqlite")]) == 0
    output = capsys.readouterr().out
    assert output.count("***@") == 3
    assert servers.PASSWORD not in unquote_plus(output)
    monkeypatch.setenv(DB_VARIABLE, url)
    assert db_words(store.location) == []


@contextmanager
def role(server: Server, db: str, name: str, *grants: str) -> Iterator[str]:
    """The URL of a database for a new role with some rights, for the duration of the block."""
    database = str(make_url(db).database)
    server.execute(f"CREATE ROLE {name} LOGIN")
    try:
        for grant in grants:
            server.execute(f"GRANT {grant} TO {name}", database)
        yield server.url(database, username=name)
    finally:
        server.execute(f"DROP OWNED BY {name}", database)
        server.execute(f"DROP ROLE {name}")


def test_a_role_that_may_only_read_can_read_everything_and_record_nothing(db: str, postgres: Server) -> None:
    with role(postgres, db, "arena_test_reader", "SELECT ON ALL TABLES IN SCHEMA public") as url:
        with Results(url) as results, Results(db) as whole:
            assert results.tournaments().equals(whole.tournaments())
            assert results.standings("spring").equals(whole.standings("spring"))
            assert results.games().equals(whole.games())
        for command in (["results", "standings"], ["results", "games"], ["db", "info"], ["db", "prune"]):
            assert run([*command, "--db", url]) == 0
        line = refusal(url)
        assert "may not be written by the role arena_test_reader" in line
        assert "docs/postgresql.md lists the rights" in line


def test_a_role_without_rights_gets_one_line(db: str, postgres: Server, empty: str) -> None:
    with role(postgres, db, "arena_test_stranger") as url:
        for opened_as in (Store.open, Results):
            assert "does not allow this: permission denied for table alembic_version" in refusal(url, opened_as)
    with role(postgres, empty, "arena_test_stranger") as url:
        assert "does not allow this: permission denied for schema public" in refusal(url)


def test_a_role_that_may_write_but_owns_nothing_can_record(db: str, postgres: Server) -> None:
    grants = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public", "USAGE ON ALL SEQUENCES IN SCHEMA public"
    with role(postgres, db, "arena_test_writer", *grants) as url, Store.open(url) as store:
        tournament = store.create_tournament("autumn", 1, {}, PLAYERS)
        with store.recorder(tournament.id) as recorder:
            for game in make_games(2, 5):
                recorder.add(game)
        assert len(store.finished(tournament.id)) == 15


def test_unused_rows_are_pruned(db: str, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(db) as store:
        store.add_model(Model("lms", {"w": np.array([1.5])}), {"command": "by hand"})
    assert run(["db", "prune", "--db", db, "--yes"]) == 0
    assert capsys.readouterr().out.endswith("1\n")
    assert rows(db, "SELECT count(*) FROM models") == [(0,)]
    assert rows(db, "SELECT count(*) FROM games") == [(15,)]


def test_a_missing_driver_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for opened_as in (Store.open, Results):
        line = refusal("postgresql://arena@/nosuch", opened_as)
        assert line.endswith("needs the package psycopg: pip install 'checkers-arena[postgres]'")


def test_another_program_is_waited_for(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(db) as store, opened(db) as other:
        other.execute(f"SELECT pg_advisory_lock({postgresql.LOCK})")
        release = threading.Timer(0.3, other.execute, [f"SELECT pg_advisory_unlock({postgresql.LOCK})"])
        release.start()
        store.create_tournament("autumn", 1, {}, PLAYERS)
        release.join()
        other.execute(f"SELECT pg_advisory_lock({postgresql.LOCK})")
        with Results(db) as results:
            assert len(results.tournaments()) == 2
    monkeypatch.setattr(postgresql, "BUSY_SECONDS", 0.05)
    with opened(db) as other:
        other.execute(f"SELECT pg_advisory_lock({postgresql.LOCK})")
        assert "is locked by another program" in refusal(db)


@pytest.mark.parametrize("revision", ["0001", "0010"])
def test_an_older_database_is_upgraded_in_place(
    empty: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, revision: str
) -> None:
    with monkeypatch.context() as patch:
        past = shutil.copytree(database.MIGRATIONS, tmp_path / "past")
        for file in (past / "versions").glob("[0-9]*.py"):
            if file.name[:4] > revision:
                file.unlink()
        patch.setattr(database, "MIGRATIONS", past)
        database.Database(empty, write=True).close()
    with opened(empty) as connection:
        columns = "id, name, seed, settings, version, started"
        connection.execute(f"INSERT INTO tournaments ({columns}) VALUES (7, 'spring', 1, '{{}}', '0.1', 1.5)")
        connection.commit()
    assert "was written by an older Checkers Arena" in refusal(empty, Results)
    with Store.open(empty) as store:
        assert store.tournament("spring").id == 7
    assert rows(empty, "SELECT version_num FROM alembic_version") == [(NEWEST,)]


def test_an_upgrade_that_fails_changes_nothing(empty: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("no mark")

    with monkeypatch.context() as patch:
        patch.setattr(postgresql.PostgreSQL, "mark", fail)
        assert refusal(empty) == "no mark"
    assert rows(empty, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
    Store.open(empty).close()


@pytest.mark.long
def test_programs_that_open_a_new_database_at_the_same_time_upgrade_it_once(empty: str) -> None:
    code = "import sys; from arena.store import Store; Store.open(sys.argv[1]).close()"
    processes = [subprocess.Popen([sys.executable, "-c", code, empty]) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    Results(empty).close()


@pytest.fixture
def stoppable(own: StartedServer) -> Iterator[str]:
    """The URL of an empty database of a server that may be stopped."""
    with own.empty_database() as url:
        yield url


@pytest.mark.parametrize("mode", ["fast", pytest.param("immediate", marks=pytest.mark.long)])
def test_recording_goes_on_after_a_restart(own: StartedServer, stoppable: str, mode: str) -> None:
    said: list[str] = []
    games = [make_record(Random(number), number) for number in range(60)]
    with Store.open(stoppable, said.append) as store:
        tournament = store.create_tournament("spring", 1, {}, PLAYERS)
        with store.recorder(tournament.id) as recorder:
            for game in games[:20]:
                recorder.add(game)
            recorder.flush()
            own.stop(mode)
            for game in games[20:40]:
                recorder.add(game)
            start = threading.Timer(1.0, own.start)
            start.start()
            recorder.flush()
            start.join()
            own.stop(mode)
            own.start()
            for game in games[40:]:
                recorder.add(game)
        assert store.finished(tournament.id) == {(game.pairing, game.round) for game in games}
    assert [line.partition(": ")[2] for line in said[::2]] == ["waiting up to 60 s for the server"] * 2
    assert all(line.endswith("answers again") for line in said[1::2])
    assert rows(stoppable, "SELECT count(*) FROM games") == [(60,)]


def test_games_are_not_doubled_if_the_connection_is_lost_after_the_commit(
    own: StartedServer, stoppable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(stoppable) as store:
        tournament = store.create_tournament("spring", 1, {}, PLAYERS)

        def commit(connection: Any) -> None:
            monkeypatch.undo()
            connection.commit()
            driver = connection.driver_connection
            own.execute(f"SELECT pg_terminate_backend({driver.info.backend_pid})")
            driver.execute("SELECT 1")

        with store.recorder(tournament.id) as recorder:
            for number in range(20):
                recorder.add(make_record(Random(number), number))
            monkeypatch.setattr(store._connection.dialect, "do_commit", commit)
        assert len(store.finished(tournament.id)) == 20
    assert rows(stoppable, "SELECT count(*) FROM games") == [(20,)]


def test_a_server_that_does_not_come_back_is_one_line(
    own: StartedServer, stoppable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "RESTART_SECONDS", 0.6)
    with Store.open(stoppable) as store, Results(stoppable) as results:
        tournament = store.create_tournament("spring", 1, {}, PLAYERS)
        own.stop()
        try:
            with pytest.raises(StoreError, match=r"cannot be reached: .*; start the server"):
                store.finished(tournament.id)
            with pytest.raises(StoreError, match=r"cannot be reached: .*; start the server"):
                results.standings()
        finally:
            own.start()
        assert store.finished(tournament.id) == set()
        assert len(results.standings()) == 3
