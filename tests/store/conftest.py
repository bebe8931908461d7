"""Fixtures with invented games, and with a database of two tournaments of such games."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from arena.contracts.rating import PlayerRating
from arena.store import PlayerIdentity, Results, Store, StoredTournament, database
from databases import KINDS, Db, new_database
from inventing import IDLE, PLAYERS, make_games, make_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.contracts.record import GameRecord
    from servers import Server


@pytest.fixture
def record() -> Callable[..., GameRecord]:
    """``record(round, **changes)`` returns a record of lms against random."""

    def make(round_: int = 0, **changes: Any) -> GameRecord:
        return make_record(random.Random(round_), round_, **changes)

    return make


RENAMED = {"guilty": "forfeited_by", "seat": "position", "learned": "learned_models"}
"""Name of a table or column in older databases -> its current name."""


@pytest.fixture
def as_older() -> Callable[[Path, Path, str], None]:
    """``as_older(newest, path, revision)`` creates a database at ``path`` with the tables of an older revision.

    It has the content of the database ``newest``, which has the newest revision.
    """

    def make(newest: Path, path: Path, revision: str) -> None:
        with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            migrations = Path(shutil.copytree(database.MIGRATIONS, Path(folder, "past")))
            for file in (migrations / "versions").glob("[0-9]*.py"):
                if file.name[:4] > revision:
                    file.unlink()
            patch.setattr(database, "MIGRATIONS", migrations)
            database.Database(path, write=True).engine.dispose()
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("ATTACH ? AS newest", (str(newest),))
            tables = connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name != 'alembic_version'"
            )
            for (table,) in tables.fetchall():
                columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                current = ", ".join(RENAMED.get(column, column) for column in columns)
                source = RENAMED.get(table, table)
                connection.execute(f"INSERT INTO {table} ({', '.join(columns)}) SELECT {current} FROM newest.{source}")
            connection.commit()

    return make


@pytest.fixture
def identities() -> tuple[PlayerIdentity, ...]:
    return PLAYERS


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results" / "arena.sqlite"


@pytest.fixture
def ours(path: Path, identities: tuple[PlayerIdentity, ...]) -> Path:
    """A database with one tournament."""
    with Store.open(path) as store:
        store.create_tournament("spring", 1, {}, identities)
    return path


@pytest.fixture(params=KINDS)
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Db]:
    """A new database, of each kind."""
    with new_database(request, tmp_path, request.param) as db:
        yield db


@dataclass(frozen=True)
class Filled:
    """A database and its content."""

    path: Db
    tournaments: dict[str, StoredTournament]
    records: dict[str, list[GameRecord]]
    ratings: dict[str, list[PlayerRating]]


@pytest.fixture(scope="session", params=KINDS)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """A database with the tournaments ``spring``, which has a player without games, and ``autumn``. Only read it."""
    if request.param == "sqlite":
        yield fill(tmp_path_factory.mktemp("filled") / "arena.sqlite")
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database() as url:
        yield fill(url)


def fill(path: Db) -> Filled:
    """Record two tournaments."""
    records = {"spring": make_games(1, 20), "autumn": make_games(2, 31)}
    ratings = {
        "spring": [PlayerRating("lms", 12.5, 30.25, 38), PlayerRating("random", -12.5, 31.5, 37)],
        "autumn": [PlayerRating(player.spec, -100.0 * number, 7.0, 60) for number, player in enumerate(PLAYERS)],
    }
    tournaments = {}
    with Store.open(path) as store:
        for name, players in (("spring", (*PLAYERS, IDLE)), ("autumn", PLAYERS)):
            settings = {"games": 20, "openings": "3move"}
            width = {"spring": 20, "autumn": 31}[name]
            pairings = {" vs ".join(sorted((a.spec, b.spec))) for a, b in combinations(players, 2)}
            planned = len(pairings) * width
            tournament = store.create_tournament(name, 2**62 + len(name), settings, players, planned)
            tournaments[name] = tournament
            store.schedule(tournament.id, pairings, width)
            with store.recorder(tournament.id) as recorder:
                for record in records[name]:
                    recorder.add(record)
            store.save_ratings(tournament.id, "davidson", ratings[name], 0)
            store.save_ratings(tournament.id, "other", [PlayerRating("lms", 1500.0, 1.0, 1)], 1)
    return Filled(path, tournaments, records, ratings)


@pytest.fixture(scope="session")
def results(filled: Any) -> Iterator[Results]:
    with Results(filled.path) as results:
        yield results
