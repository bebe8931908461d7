"""Upgrades of databases of older revisions, and refusals of newer ones."""

from __future__ import annotations

import shlex
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from arena.cli.app import run
from arena.contracts.rating import PlayerRating
from arena.store import Results, Store, database
from databases import NEWEST, refusal, revision

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.contracts.record import GameRecord
    from arena.store import PlayerIdentity

    Players = tuple[PlayerIdentity, ...]

NEXT = f"{int(NEWEST) + 1:04}"
OPENERS = pytest.mark.parametrize("opened", [Store.open, Results], ids=["write", "read"])


@OPENERS
def test_newer_revision_is_refused(ours: Path, opened: Callable[[Any], Any]) -> None:
    with closing(sqlite3.connect(ours)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    content = ours.read_bytes()
    assert "written by a newer Checkers Arena" in refusal(opened, ours)
    assert ours.read_bytes() == content
    assert [file.name for file in ours.parent.iterdir()] == ["arena.sqlite"]


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """``next_version(body)`` adds a migration with the next revision, which runs ``body``."""

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


def test_older_revision_is_backed_up_and_upgraded(
    ours: Path, next_version: Callable[[str], None], identities: Players
) -> None:
    next_version('op.add_column("tournaments", sa.Column("place", sa.Text))')
    assert f"older Checkers Arena; to upgrade it: arena db upgrade --db {ours}" in refusal(Results, ours)
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


def test_the_command_that_a_reader_names_upgrades(ours: Path, next_version: Callable[[str], None]) -> None:
    next_version('op.add_column("tournaments", sa.Column("place", sa.Text))')
    command = refusal(Results, ours).partition("to upgrade it: arena ")[2]
    assert run(shlex.split(command)) == 0
    assert Results(ours).tournaments()["name"].tolist() == ["spring"]
    assert revision(ours.with_name(f"arena.sqlite.bak-{NEWEST}")) == NEWEST


@pytest.fixture(params=["0001", "0002", "0003", "0004"])
def older(
    request: pytest.FixtureRequest,
    path: Path,
    tmp_path: Path,
    record: Callable[..., GameRecord],
    identities: Players,
    as_older: Callable[[Path, Path, str], None],
) -> tuple[Path, str]:
    """A database of an older revision with games, and its revision."""
    path.parent.mkdir()
    with Store.open(tmp_path / "newest.sqlite") as store:
        for name, changes in (("spring", {}), ("swiss", {"format": "swiss"}), ("test", {"sprt": {"elo0": 0}})):
            tournament = store.create_tournament(name, 1, {"games": 20, **changes}, identities)
            with store.recorder(tournament.id) as recorder:
                for number in range(20):
                    recorder.add(record(number))
    as_older(tmp_path / "newest.sqlite", path, request.param)
    return path, request.param


def test_upgrade_keeps_the_games(older: tuple[Path, str]) -> None:
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
    assert "arena db upgrade" in refusal(Results, path)
    with Store.open(path) as store:
        assert len(store.finished(1)) == 20
    assert revision(path) == NEWEST
    assert rows(path) == before == rows(path.with_name(f"arena.sqlite.bak-{number}"))
    with Results(path) as results:
        assert results.collected().empty
        assert results.runs().empty
        planned = results.tournaments().set_index("name")["planned"]
        # 3 players have 3 pairings, or 1 in each of 2 swiss rounds. A sequential test may have ended its match early.
        assert planned[["spring", "swiss"]].tolist() == [60, 40]
        assert planned[["test"]].isna().all()
        assert results.games("spring")["name"].tolist() == [f"spring/{number}" for number in range(1, 21)]


def test_upgrade_orders_rating_systems_as_in_the_settings(
    path: Path,
    tmp_path: Path,
    record: Callable[..., GameRecord],
    identities: Players,
    as_older: Callable[[Path, Path, str], None],
) -> None:
    path.parent.mkdir()
    with Store.open(tmp_path / "newest.sqlite") as store:
        for name, listed in (("spring", ["glicko2 : tau=0.4", "davidson"]), ("autumn", ["davidson", "glicko2"])):
            key = store.create_tournament(name, 1, {"ratings": listed}, identities).id
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


def test_backup_never_replaces_a_file(ours: Path, next_version: Callable[[str], None]) -> None:
    next_version("pass")
    existing = ours.with_name(f"arena.sqlite.bak-{NEWEST}")
    existing.write_text("precious")
    Store.open(ours).close()
    assert existing.read_text() == "precious"
    assert revision(ours.with_name(f"arena.sqlite.bak-{NEWEST}-2")) == NEWEST
    assert revision(ours) == NEXT


def test_failed_upgrade_changes_nothing(ours: Path, next_version: Callable[[str], None]) -> None:
    next_version('op.drop_table("ratings"); op.execute("SELECT nonsense")')
    assert "no such column: nonsense" in refusal(Store.open, ours)
    assert revision(ours) == NEWEST
    with closing(sqlite3.connect(ours)) as connection:
        assert connection.execute("SELECT count(*) FROM ratings").fetchone() == (0,)


@OPENERS
@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ("DELETE FROM alembic_version", 0),
        ("INSERT INTO alembic_version VALUES ('0001')", 2),
    ],
)
def test_database_without_exactly_one_revision_is_refused(
    ours: Path, opened: Callable[[Any], Any], change: str, rows: int
) -> None:
    with closing(sqlite3.connect(ours)) as connection:
        connection.execute(change)
        connection.commit()
    before = ours.read_bytes()
    assert f"its table alembic_version holds {rows} rows" in refusal(opened, ours)
    assert ours.read_bytes() == before
