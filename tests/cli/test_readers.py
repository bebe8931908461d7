"""A tournament is recorded while another program reads."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]


def test_an_open_reader_does_not_stop_a_tournament(run: Run, start: Run, tmp_path: Path) -> None:
    match = ("tournament", "--players", "random,m1", "--games", "2", "--db", "x.sqlite")
    assert run(*match).returncode == 0
    with closing(sqlite3.connect(tmp_path / "x.sqlite")) as connection:
        rows = connection.execute("SELECT * FROM games")
        assert rows.fetchone()
        done = start(*match)
        assert done.returncode == 0, done.stderr
        assert "t2: standings" in done.stdout
        assert len(rows.fetchall()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["x.sqlite"]
