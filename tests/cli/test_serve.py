"""``arena serve`` as a process: its address, its token, and how it stops."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from databases import empty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

PATIENCE = 120


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return empty(tmp_path_factory.mktemp("served") / "arena.sqlite")


@contextmanager
def serving(*words: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a server, give its link, and end it."""
    command = [sys.executable, "-m", "arena", "serve", "--port", "0", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://\S+", process.stdout.readline())
            assert found is not None
            yield found[0], process
        finally:
            process.kill()


def status_of(link: str, path: str, **headers: str) -> tuple[int, str | None]:
    """Return the status and the cookie of an answer."""
    parts = urlsplit(link)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("Set-Cookie")


def test_it_prints_its_address_and_stops_at_ctrl_c_with_an_open_stream(database: Path) -> None:
    with serving("--db", str(database)) as (link, process):
        assert status_of(link, "/")[0] == 200
        parts = urlsplit(link)
        stream = HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
        stream.request("GET", "/live")
        assert stream.getresponse().readline().startswith(b"retry")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        stream.close()
        assert "Traceback" not in errors
        assert process.returncode in (0, 130)


def test_with_a_host_everybody_needs_the_token(database: Path) -> None:
    with serving("--db", str(database), "--host", "127.0.0.1") as (link, _):
        assert status_of(link, "/")[0] == 403
        parts = urlsplit(link)
        status, cookie = status_of(link, f"/?{parts.query}")
        assert status == 303
        assert cookie is not None
        assert status_of(link, "/", Cookie=cookie.partition(";")[0])[0] == 200
        assert status_of(link, "/", Cookie=cookie.partition("=")[0] + "=wrong")[0] == 403


def test_a_missing_database_is_one_line_and_is_not_created(run: Run, tmp_path: Path) -> None:
    done = run("serve", "--db", "none.sqlite")
    assert done.returncode == 1
    assert done.stderr == "arena: there is no database none.sqlite: arena tournament and arena train create one\n"
    assert list(tmp_path.iterdir()) == []


def test_a_port_in_use_is_one_line(run: Run, database: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run("serve", "--db", str(database), "--port", str(port))
    assert done.returncode == 1
    [line] = done.stderr.splitlines()
    assert f"cannot listen on port {port}" in line
