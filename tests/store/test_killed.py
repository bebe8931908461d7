"""The upgrade of an older file, killed at every moment: the file is old or new, whole, and its backups are whole."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arena.store import Store, database

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")

SCRIPT = """
import json, pathlib, shutil, sqlite3, sys
from contextlib import closing
order = json.loads(sys.argv[1])
sys.path[:0] = order["path"]
import mortal
from arena.store import Store

def upgrade():
    with Store.open(path):
        pass

def tell(file):
    with closing(sqlite3.connect(file)) as connection:
        [(revision,)] = connection.execute("select version_num from alembic_version")
        games = connection.execute("select tournament_id, id, moves, hex(boards) from games order by id").fetchall()
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    return revision, games

old = order["old"]
known = tell(old)
revisions, moments, done = [], 0, False
while not done:
    moments += 1
    folder = pathlib.Path(order["folder"], str(moments))
    folder.mkdir()
    path = shutil.copy(old, folder / "arena.sqlite")
    done = mortal.live(upgrade, "start", moments)
    revision, games = tell(path)
    assert games == known[1]
    revisions.append(revision)
    upgrade()
    newest, games = tell(path)
    assert games == known[1]
    assert newest == order["newest"]
    files = sorted(file.name for file in folder.iterdir())
    assert files[0] == "arena.sqlite" and all(name.startswith("arena.sqlite.bak-0001") for name in files[1:]), files
    assert all(tell(folder / name) == known for name in files[1:])
print(json.dumps(revisions))
"""


def test_an_upgrade_that_is_killed_is_made_again(
    tmp_path: Path,
    as_older: Callable[[Path, Path, str], None],
    record: Callable[..., GameRecord],
    identities: tuple[PlayerIdentity, ...],
) -> None:
    old, folder = tmp_path / "old.sqlite", tmp_path / "lives"
    folder.mkdir()
    newest = max(file.name[:4] for file in (database.MIGRATIONS / "versions").glob("[0-9]*.py"))
    new = tmp_path / "new.sqlite"
    with Store.open(new) as store, store.recorder(store.create_tournament("spring", 1, {}, identities).id) as games:
        for number in range(5):
            games.add(record(number))
    as_older(new, old, "0001")
    order: dict[str, Any] = {
        **{"path": sys.path, "old": str(old), "folder": str(folder)},
        **{"newest": newest},
    }
    command = [sys.executable, "-c", SCRIPT, json.dumps(order)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    revisions = json.loads(done.stdout)
    assert revisions == sorted(revisions)
    assert set(revisions) == {"0001", newest}
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("select count(*) from games").fetchone() == (5,)
