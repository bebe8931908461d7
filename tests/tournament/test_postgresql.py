"""Tournaments in PostgreSQL: the same as in SQLite, at the same time as others, and over restarts of the server."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import servers
from arena.errors import StoreError
from arena.plugins import specs
from arena.store import Store, postgresql, recorder
from arena.tournament.plan import Plan
from arena.tournament.runner import resume, run
from arena.tournament.settings import TournamentSettings
from databases import all_rows, rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from arena.tournament.tally import Progress
    from databases import Db

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("shared_launcher")]
GAMES = 30


def play(db: Db, name: str = "test", progress: Callable[[Progress], object] = lambda _: None, seed: int = 3) -> None:
    with Store.open(db) as store:
        plan = Plan(TournamentSettings(seed=seed, games=GAMES), specs.parse_list("player", "random,m1,m2"))
        run(name, plan, store, workers=2, progress=progress)


def timeless(db: Db) -> dict[str, list[list[Any]]]:
    """All rows without columns of times, sorted."""
    times = {"started", "seconds"}
    return {
        table: sorted(([value for name, value in row.items() if name not in times] for row in found), key=repr)
        for table, found in all_rows(db).items()
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, module_launcher: object) -> Path:  # noqa: ARG001
    """The SQLite database of a tournament that was not interrupted."""
    path = tmp_path_factory.mktemp("whole") / "arena.sqlite"
    play(path)
    return path


@pytest.fixture(scope="module")
def own() -> Iterator[servers.StartedServer]:
    """A server that tests may stop."""
    server = servers.started()
    try:
        yield server
    finally:
        server.remove()


@pytest.fixture
def url(own: servers.StartedServer) -> Iterator[str]:
    with own.empty_database() as url:
        yield url


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit four games at a time."""
    monkeypatch.setattr(recorder, "BATCH_GAMES", 4)


def test_the_same_seed_gives_the_same_rows_as_in_sqlite(whole: Path, url: str) -> None:
    play(url)
    assert timeless(url) == timeless(whole)


def test_a_restart_of_the_server_changes_no_row(whole: Path, url: str, own: servers.StartedServer) -> None:
    def restart(now: Progress) -> None:
        if now.played in (20, 50):
            own.stop("immediate" if now.played == 20 else "fast")
            own.start()

    play(url, progress=restart)
    assert timeless(url) == timeless(whole)


def test_a_tournament_waits_for_a_server_that_comes_back(whole: Path, url: str, own: servers.StartedServer) -> None:
    def stop(now: Progress) -> None:
        if now.played == 40:
            own.stop()
            threading.Timer(1, own.start).start()

    play(url, progress=stop)
    assert timeless(url) == timeless(whole)


def test_a_tournament_without_its_server_stops_and_is_resumed(
    whole: Path, url: str, own: servers.StartedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "RESTART_SECONDS", 0.2)

    def stop(now: Progress) -> None:
        if now.played == 40:
            own.stop()

    with pytest.raises(StoreError) as caught:
        play(url, progress=stop)
    assert "\n" not in str(caught.value)
    own.start()
    recorded = len(all_rows(url)["games"])
    assert 0 < recorded < 3 * GAMES
    with Store.open(url) as store:
        resume("test", store, workers=2)
    assert timeless(url) == timeless(whole)


@pytest.mark.long
def test_two_commands_that_share_a_new_database_record_the_same_as_alone(
    own: servers.StartedServer, tmp_path: Path
) -> None:
    def start(db: Db, seed: int) -> subprocess.Popen[str]:
        words = ["tournament", "--players", "random,m1", "--games", "40", "--seed", str(seed), "--db", str(db)]
        return subprocess.Popen([sys.executable, "-m", "arena", *words], stdout=subprocess.PIPE, text=True)

    def games(db: Db, seed: int) -> list[tuple[Any, ...]]:
        query = "SELECT games.id, pairing, round, opening, result, moves FROM games JOIN tournaments"
        return rows(db, f"{query} ON tournaments.id = tournament_id WHERE seed = {seed} ORDER BY pairing, round")

    with own.database() as url:
        both = [start(url, seed) for seed in (1, 2)]
        for process in both:
            output, _ = process.communicate()
            assert process.returncode == 0, output
        assert sorted(rows(url, "SELECT name FROM tournaments")) == [("t1",), ("t2",)]
        for seed in (1, 2):
            alone = tmp_path / f"{seed}.sqlite"
            assert start(alone, seed).wait() == 0
            assert games(url, seed) == games(alone, seed)
            assert len(games(url, seed)) == 40
