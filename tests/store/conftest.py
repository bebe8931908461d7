"""Fixtures with invented games, and with a database of two tournaments of such games."""

from __future__ import annotations

import random
import shutil
import sqlite3
import struct
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from arena.contracts.columns import DEPTHS, NODES, SCORES, SECONDS
from arena.contracts.rating import PlayerRating
from arena.contracts.record import GameRecord, PlyInfo
from arena.store import PlayerIdentity, Results, Store, StoredTournament, database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLAYERS = (
    PlayerIdentity("minimax:depth=2", "minimax", "checkers-arena", "0.1.0"),
    PlayerIdentity("lms", "lms", "checkers-arena", "0.1.0", "0123456789abcdef0123456789abcdef"),
    PlayerIdentity("random", "random", "checkers-arena", "0.1.0"),
)
IDLE = PlayerIdentity("idle", "idle", "arena-idle", "3.1")


def make_record(
    chance: random.Random, round_: int, black: str = "lms", white: str = "random", **changes: Any
) -> GameRecord:
    """Return a record with random values in valid ranges. Its moves do not lead from board to board."""
    plies = chance.randint(0, 40)
    boards = []
    for _ in range(plies + 1):
        squares = chance.sample(range(32), chance.randint(1, 24))
        half = len(squares) // 2
        sides = [sum(1 << square for square in part) for part in (squares[:half], squares[half:])]
        boards.append(struct.pack("<3I", *sides, (sides[0] | sides[1]) & chance.getrandbits(32)))

    def values_or_none(value: Callable[[], Any]) -> tuple[Any, ...]:
        if chance.random() < 0.2:
            return (None,) * plies
        return tuple(value() if chance.random() < 0.7 else None for _ in range(plies))

    forfeit = chance.random() < 0.15
    result = chance.choice(["1-0", "0-1"] if forfeit else ["1-0", "0-1", "1/2-1/2"])
    values: dict[str, Any] = {
        "pairing": " vs ".join(sorted((black, white))),
        "round": round_,
        "seed": chance.getrandbits(63),
        "opening": chance.choice(["9-13 21-17 5-9", "10-15 22-18 15x22"]),
        "black": black,
        "white": white,
        "first": chance.choice(["black", "white"]),
        "boards": b"".join(boards),
        "movetext": " ".join(chance.choice(["9-13", "22x15", "18x11x4"]) for _ in range(plies)),
        "result": result,
        "termination": "exception" if forfeit else chance.choice(["no moves", "ply cap"]),
        "forfeited_by": {"1-0": "white", "0-1": "black"}[result] if forfeit else None,
        "reason": "ValueError: no idea\n  in choose" if forfeit else None,
        "ply_info": PlyInfo.packed(
            scores=SCORES.array_of(values_or_none(lambda: chance.gauss(0, 50))),
            depths=DEPTHS.array_of(values_or_none(lambda: chance.randint(0, 30))),
            nodes=NODES.array_of(values_or_none(lambda: chance.getrandbits(chance.randint(1, 62)))),
            seconds=SECONDS.array_of(values_or_none(chance.random)),
            pvs=[pv or "" for pv in values_or_none(lambda: "9-13 22-18")],
        ),
        "started": 1_700_000_000 + chance.random(),
    }
    return GameRecord(**values | changes)


def make_games(seed: int, games: int) -> list[GameRecord]:
    """Return ``games`` games for each pair of the players, with alternating colours."""
    chance = random.Random(seed)
    pairs = list(combinations([player.spec for player in PLAYERS], 2))
    return [
        make_record(chance, number, *((a, b) if number % 2 else (b, a))) for a, b in pairs for number in range(games)
    ]


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


@dataclass(frozen=True)
class Filled:
    """A database and its content."""

    path: Path
    tournaments: dict[str, StoredTournament]
    records: dict[str, list[GameRecord]]
    ratings: dict[str, list[PlayerRating]]


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Filled:
    """A database with the tournaments ``spring``, which has a player without games, and ``autumn``. Only read it."""
    path = tmp_path_factory.mktemp("filled") / "arena.sqlite"
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
