"""A database that fails during a tournament: a one-line error, no lost games, and a resumption that completes it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from arena.errors import StoreError
from arena.plugins import specs
from arena.store import Store, recorder, sqlite
from arena.store.names import counted
from arena.tournament.plan import Plan
from arena.tournament.runner import resume, run
from arena.tournament.settings import TournamentSettings
from databases import contents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from arena.tournament.tally import Progress
    from launchers import SharedLauncher

    Fault = Callable[[Store, Path], AbstractContextManager[None]]

pytestmark = pytest.mark.usefixtures("shared_launcher")

GAMES = 40


def play(path: Path, progress: Callable[[Store, Progress], None] = lambda *_: None) -> None:
    with Store.open(path) as store:
        plan = Plan(TournamentSettings(seed=3, games=GAMES), specs.parse_list("player", "random,m1"))
        run("test", plan, store, workers=2, progress=lambda now: progress(store, now))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, module_launcher: SharedLauncher) -> Path:  # noqa: ARG001
    """The database of a tournament that was not interrupted."""
    path = tmp_path_factory.mktemp("whole") / "arena.sqlite"
    play(path)
    return path


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commit four games at a time, and wait only briefly for a locked database."""
    monkeypatch.setattr(recorder, "BATCH_GAMES", 4)
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)


def driver(store: Store) -> Any:
    """The driver's connection behind SQLAlchemy's."""
    return store._connection.connection.dbapi_connection


@contextmanager
def no_room(store: Store, path: Path) -> Iterator[None]:  # noqa: ARG001
    """Forbid the database to grow."""
    driver(store).execute("PRAGMA max_page_count = 1")  # SQLite raises it to the present number of pages
    yield


@contextmanager
def no_larger_file(store: Store, path: Path) -> Iterator[None]:  # noqa: ARG001
    """Let the system forbid this process to write files longer than the log."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.with_name(f"{path.name}-wal").stat().st_size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def read_only(store: Store, path: Path) -> Iterator[None]:  # noqa: ARG001
    """Make the connection read-only."""
    driver(store).execute("PRAGMA query_only = ON")
    yield


@contextmanager
def locked(store: Store, path: Path) -> Iterator[None]:  # noqa: ARG001
    """Lock the database by another program."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def moved(store: Store, path: Path) -> Iterator[None]:  # noqa: ARG001
    """Rename the file while it is open."""
    if os.name != "posix":
        pytest.skip("a file that is open cannot be moved")
    path.rename(path.with_name("tidy.sqlite"))
    yield
    path.with_name("tidy.sqlite").rename(path)


FAULTS: list[tuple[Fault, str]] = [
    (no_room, "cannot grow: the disk is full; make room"),
    (no_larger_file, "cannot be read or written: the disk is full, gone or failing"),
    (read_only, "cannot be written: it or its folder is read-only"),
    (locked, "is locked by another program: try again"),
    (moved, "was moved or replaced while it was written: put it back"),
]


@pytest.mark.parametrize(("fault", "message"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_a_fault_is_a_one_line_error_and_resume_completes_the_tournament(
    whole: Path, tmp_path: Path, fault: Fault, message: str
) -> None:
    path = tmp_path / "arena.sqlite"
    faults: list[AbstractContextManager[None]] = []

    def progress(store: Store, now: Progress) -> None:
        if now.done == 10:
            faults.append(fault(store, path))
            faults[0].__enter__()

    with pytest.raises(StoreError) as caught:
        play(path, progress)
    faults[0].__exit__(None, None, None)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    with Store.open(path) as store:
        assert 8 <= len(store.finished(1)) < GAMES
        resume("test", store, workers=2)
    assert contents(path) == contents(whole)
    assert os.listdir(tmp_path) == ["arena.sqlite"]  # noqa: PTH208


def test_two_programs_that_play_the_same_tournament_record_each_game_once(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"

    def progress(store: Store, now: Progress) -> None:  # noqa: ARG001
        if now.done == 10:
            with Store.open(path) as other:
                resume("test", other, workers=1)

    with pytest.raises(StoreError, match=r"duplicate: UNIQUE .*games.*; is another program recording the same\?"):
        play(path, progress)
    assert contents(path) == contents(whole)


def test_damage_is_a_one_line_error_at_the_next_opening_at_the_latest(tmp_path: Path) -> None:
    path = tmp_path / "arena.sqlite"

    def progress(store: Store, now: Progress) -> None:  # noqa: ARG001
        if now.done == 10:
            size = path.stat().st_size
            with path.open("r+b") as file:
                file.seek(size // 3)
                file.write(b"\xff" * (size // 3))

    with pytest.raises(StoreError, match="is damaged: replace it with a backup"):
        play(path, progress)
        with Store.open(path) as store:
            resume("test", store, workers=1)


TWO = """
import sys
sys.path[:0] = {path!r}
from arena.plugins import specs
from arena.store import Store, names
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings
from arena.tournament.runner import run
plan = Plan(TournamentSettings(seed=int(sys.argv[2]), games=80), specs.parse_list("player", "random,m1"))
print("ready", flush=True)
sys.stdin.readline()
with Store.open(sys.argv[1]) as store:
    print(run(names.counted, plan, store, workers=1).name)
"""


def test_two_processes_that_share_a_new_database_record_the_same_as_alone(tmp_path: Path) -> None:
    def start(seed: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", TWO.format(path=sys.path), str(tmp_path / "both.sqlite"), str(seed)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    def games(db: str, name: str) -> list[tuple[Any, ...]]:
        query = "SELECT * FROM v_games WHERE tournament = ? ORDER BY pairing, round"
        rating = "SELECT player, rating, rating_error FROM v_standings WHERE tournament = ? ORDER BY player"
        with closing(sqlite3.connect(tmp_path / db)) as connection:
            rows = connection.execute(query, (name,)).fetchall()
            return [*((*row[:1], *row[3:-1]) for row in rows), *connection.execute(rating, (name,))]

    both = [start(seed) for seed in (1, 2)]
    for process in both:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    names = [process.communicate(timeout=60)[0].strip() for process in both]
    assert sorted(names) == ["t1", "t2"]
    for seed, name in zip((1, 2), names, strict=True):
        with Store.open(tmp_path / f"{seed}.sqlite") as store:
            plan = Plan(TournamentSettings(seed=seed, games=80), specs.parse_list("player", "random,m1"))
            assert run(counted, plan, store, workers=1).name == "t1"
        assert games("both.sqlite", name) == games(f"{seed}.sqlite", "t1")
        assert len(games("both.sqlite", name)) == 82
    assert sorted(os.listdir(tmp_path)) == ["1.sqlite", "2.sqlite", "both.sqlite"]  # noqa: PTH208
