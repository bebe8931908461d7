"""Orders are handed out and come back, whatever happens to the processes: no game is lost, doubled or changed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.errors import TournamentStopped
from arena.workers import pool, system
from arena.workers.launcher import Launcher
from arena.workers.pool import Pool
from faulty import BOTH_MODES, culprit, games, identity, played, timeless, wait_for_end

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.record import GameRecord

pytestmark = pytest.mark.usefixtures("fork_server")
forks_only = pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")


def by_identity(records: list[GameRecord]) -> dict[tuple[str, int], GameRecord]:
    return {identity(record): timeless(record) for record in records}


PATHS = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
"""How code that is injected finds modules."""


def inject(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Run code in all fresh interpreters before anything else."""
    monkeypatch.setattr(system, "COMMAND", code + "; " + system.COMMAND)


def test_the_number_of_workers_changes_no_game() -> None:
    tasks = games(("reckless", "steady"), ("now-and-then", "steady"), ("m1", "reckless"), rounds=6)
    assert by_identity(played(tasks, 1)) == by_identity(played(tasks, 3))


@BOTH_MODES
def test_the_size_of_orders_changes_no_game(monkeypatch: pytest.MonkeyPatch, isolate: bool) -> None:
    tasks = games(("reckless", "steady"), ("now-and-then", "steady"), rounds=20)
    usual = by_identity(played(tasks, 2, isolate=isolate))
    for name, value in (("MOST", 1), ("AIM", 0.01)):
        with monkeypatch.context() as patch:
            patch.setattr(pool, name, value)
            assert by_identity(played(tasks, 2, isolate=isolate)) == usual


def test_a_rare_fault_among_many_games_costs_one_game_each_time() -> None:
    records = played(games(("now-and-then", "steady"), rounds=150))
    forfeits = [record for record in records if record.forfeited_by]
    assert 5 < len(forfeits) < 40
    assert {culprit(record) for record in forfeits} == {"now-and-then"}
    assert all("lost my mind this time" in (record.reason or "") for record in forfeits)


def test_tasks_are_taken_as_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "AHEAD", 10)
    tasks = iter(games(("reckless", "steady"), rounds=100))
    with Launcher() as starts, Pool(tasks, 2, starts, move_timeout=60.0) as running:
        next(record for record in running if record is not None)
    assert len(list(tasks)) >= 80


def test_weights_other_than_the_tournaments_stop_it() -> None:
    [task, _] = games(("reckless", "steady"))
    with pytest.raises(TournamentStopped, match=r"the weights of steady are None, and those of the .* 1f2e"):
        played([replace(task, white_weights="1f2e")])


def test_a_game_that_fails_by_nobodys_fault_is_tried_again_and_then_stops_the_tournament(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inject(monkeypatch, PATHS + "import arena.referee.match as m; m.Match.play = None")
    with pytest.raises(TournamentStopped, match=r"reckless vs steady failed 10 times, by no .* 'NoneType'"):
        played(games(("reckless", "steady"), rounds=1), fresh=True)


@pytest.mark.parametrize("forks", [pytest.param(True, marks=forks_only), False], ids=["forked", "interpreters"])
def test_a_worker_that_cannot_start_stops_the_tournament(monkeypatch: pytest.MonkeyPatch, forks: bool) -> None:
    monkeypatch.setattr(system, "FORKS", forks)
    inject(monkeypatch, "import no_such_module")
    with pytest.raises(TournamentStopped, match=r"cannot start: .* exit code 1; ModuleNotFoundError: No .*'no_such"):
        played(games(("reckless", "steady")), fresh=True)


@pytest.mark.parametrize("forks", [pytest.param(True, marks=forks_only), False], ids=["forked", "interpreters"])
def test_workers_that_are_always_killed_stop_the_tournament(monkeypatch: pytest.MonkeyPatch, forks: bool) -> None:
    monkeypatch.setattr(system, "FORKS", forks)
    monkeypatch.setattr(pool, "ATTEMPTS", 4)
    inject(monkeypatch, "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(TournamentStopped, match="failed 4 times, by no player's fault: its guard was killed"):
        played(games(("reckless", "steady")), 1, fresh=True)


@forks_only
def test_a_worker_that_does_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SILENCE", 0.2)
    inject(monkeypatch, "import time; time.sleep(600)")
    with pytest.raises(TournamentStopped, match=r"a worker has not answered for 0\.2 seconds"):
        played(games(("reckless", "steady")), 1, fresh=True)


@forks_only
def test_a_fork_server_that_is_stopped_goes_on() -> None:
    tasks = games(("reckless", "steady"))
    with Launcher() as starts:
        before = set(psutil.Process().children())
        starts.begin()
        [server] = set(psutil.Process().children()) - before
        with Pool(tasks, 1, starts, move_timeout=60.0) as running:
            assert sum(record is not None for record in running) == 2
        server.suspend()
        with Pool(tasks, 1, starts, move_timeout=60.0) as running:
            assert sum(record is not None for record in running) == 2


@forks_only
def test_a_killed_fork_server_is_replaced_as_often_as_it_takes(monkeypatch: pytest.MonkeyPatch, notes: Path) -> None:
    tries = notes / "tries"
    inject(
        monkeypatch,
        f"import os, pathlib; t = pathlib.Path({str(tries)!r}); t.open('a').write('.'); "
        "t.stat().st_size > 3 or os.kill(os.getpid(), 9)",
    )
    assert len(played(games(("reckless", "steady")), fresh=True)) == 2
    assert tries.read_text() == "...."


@forks_only
def test_processes_killed_at_random_change_no_game() -> None:
    chance, killed = random.Random(5), 0
    tasks = games(("reckless", "steady"), ("moody", "steady"), ("m1", "raises-in-choose"), rounds=8)
    expected = by_identity(played(tasks))
    records = []
    with Launcher() as starts, Pool(tasks, 2, starts, move_timeout=60.0) as running:
        for record in running:
            if record is not None:
                records.append(record)
                victims = psutil.Process().children(recursive=True)
                if len(records) % 4 == 0 and victims:
                    for victim in chance.sample(victims, min(len(victims), chance.randint(1, 3))):
                        with suppress(psutil.Error):
                            victim.kill()
                            killed += 1
    assert len(records) == len(tasks)
    assert by_identity(records) == expected
    assert killed >= 5


def test_where_processes_cannot_be_forked_the_same_games_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = games(("raises-in-choose", "steady"), ("reckless", "steady"))
    expected = by_identity(played(tasks))
    monkeypatch.setattr(system, "FORKS", False)
    inject(monkeypatch, PATHS + "import arena.workers.system as s; s.FORKS = False")
    assert by_identity(played(tasks, fresh=True)) == expected


@forks_only
def test_a_plugin_that_starts_threads_makes_workers_start_as_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks, said = games(("reckless", "steady")), []
    expected = by_identity(played(tasks))
    monkeypatch.setenv("ARENA_FAULTY_THREAD", "1")
    with Launcher(said.append) as starts, Pool(tasks, 1, starts, move_timeout=60.0) as running:
        assert by_identity([record for record in running if record is not None]) == expected
    assert said == [
        "slower, as processes cannot be forked: plugins, or CUDA, started 1 threads at import (start none there)"
    ]


@forks_only
def test_a_kernel_that_is_not_cached_is_mentioned_once() -> None:
    said: list[str] = []
    tasks = games(("compiles", "steady"), ("compiles", "reckless"))
    with Launcher(said.append) as starts, Pool(tasks, 2, starts, move_timeout=60.0) as running:
        assert len([record for record in running if record is not None]) == 4
    assert said == ["arena_faulty._next_number is compiled again for every order: give it cache=True"]


SCRIPT = """
    import sys
    sys.path[:0] = {path!r}
    from faulty import games
    from arena.workers.launcher import Launcher
    from arena.workers.pool import Pool
    if __name__ == "__main__":
        with Launcher() as starts, Pool(games(("hangs", "steady"), rounds=1), 1, starts, move_timeout=600.0) as pool:
            list(pool)
"""


@forks_only
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_everything_ends_with_the_arena(notes: Path, ending: signal.Signals) -> None:
    (notes / "hangs").unlink(missing_ok=True)
    arena = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SCRIPT.format(path=sys.path))])
    try:
        while not (notes / "hangs").exists() or not (notes / "hangs").read_text():
            assert arena.poll() is None
        started = psutil.Process(arena.pid).children(recursive=True)
    finally:
        arena.send_signal(ending)
        arena.wait()
    assert len(started) == 3
    for process in started:
        wait_for_end(process.pid)


@forks_only
@pytest.mark.parametrize("moments", [0.0, 0.05, 0.3, 1.0])
def test_an_arena_killed_while_it_starts_leaves_nothing(moments: float, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    arena = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SCRIPT.format(path=sys.path))], env=environment)
    started: list[psutil.Process] = []
    while not started:
        assert arena.poll() is None
        started = psutil.Process(arena.pid).children(recursive=True)
    with suppress(subprocess.TimeoutExpired):
        arena.wait(moments)
    started += psutil.Process(arena.pid).children(recursive=True)
    arena.kill()
    arena.wait()
    for process in started:
        wait_for_end(process.pid)
    assert not list(islice(tmp_path.iterdir(), 1))
