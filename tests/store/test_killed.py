"""An upgrade that is killed leaves the old or the upgraded file complete, and complete backups.

The long test kills it at each statement, and the other one at some of them.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arena.store import Store
from databases import NEWEST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")

SCRIPT = """
import json, pathlib, shutil, sqlite3, sys
from contextlib import closing
parameters = json.loads(sys.argv[1])
sys.path[:0] = parameters["path"]
import mortal
from arena.store import Store

def upgrade():
    with Store.open(path):
        pass

def content(file):
    with closing(sqlite3.connect(file)) as connection:
        [(revision,)] = connection.execute("select version_num from alembic_version")
        games = connection.execute("select tournament_id, id, moves, hex(boards) from games order by id").fetchall()
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
    return revision, games

old = parameters["old"]
known = content(old)
revisions, moments, done = [], 0, False
while not done:
    moments += parameters["step"]
    folder = pathlib.Path(parameters["folder"], str(moments))
    folder.mkdir()
    path = shutil.copy(old, folder / "arena.sqlite")
    done = mortal.live(upgrade, "start", moments)
    revision, games = content(path)
    assert games == known[1]
    revisions.append(revision)
    upgrade()
    newest, games = content(path)
    assert games == known[1]
    assert newest == parameters["newest"]
    files = sorted(file.name for file in folder.iterdir())
    assert files[0] == "arena.sqlite" and all(name.startswith("arena.sqlite.bak-0001") for name in files[1:]), files
    assert all(content(folder / name) == known for name in files[1:])
print(json.dumps(revisions))
"""


@pytest.mark.parametrize("step", [9, pytest.param(1, marks=pytest.mark.long)])
def test_an_upgrade_that_was_killed_is_repeated(
    step: int,
    tmp_path: Path,
    as_older: Callable[[Path, Path, str], None],
    record: Callable[..., GameRecord],
    identities: tuple[PlayerIdentity, ...],
) -> None:
    old, folder = tmp_path / "old.sqlite", tmp_path / "lives"
    folder.mkdir()
    new = tmp_path / "new.sqlite"
    with Store.open(new) as store, store.recorder(store.create_tournament("spring", 1, {}, identities).id) as games:
        for number in range(5):
            games.add(record(number))
    as_older(new, old, "0001")
    parameters: dict[str, Any] = {
        **{"path": sys.path, "old": str(old), "folder": str(folder)},
        **{"newest": NEWEST, "step": step},
    }
    command = [sys.executable, "-c", SCRIPT, json.dumps(parameters)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    revisions = json.loads(done.stdout)
    assert revisions == sorted(revisions)
    assert set(revisions) == {"0001", NEWEST}
    with closing(sqlite3.connect(old)) as connection:
        assert connection.execute("select count(*) from games").fetchone() == (5,)
