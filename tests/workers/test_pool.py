"""The pool plays every game exactly once and unchanged, even if processes are killed or cannot start."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
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
from faulty import MOSTLY_SHARED, culprit, games, identity, played, timeless, wait_for_end
from launchers import SHARED

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.record import GameRecord

pytestmark = pytest.mark.usefixtures("fork_server")
forks_only = pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")


def by_identity(records: list[GameRecord]) -> dict[tuple[str, int], GameRecord]:
    return {identity(record): timeless(record) for record in records}


PATHS = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
"""Code that sets the module path of a new interpreter, before injected code imports modules."""


def inject(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Let all new interpreters run this code first."""
    monkeypatch.setattr(system, "COMMAND", code + "; " + system.COMMAND)


def test_games_do_not_depend_on_the_number_of_workers() -> None:
    tasks = games(("reckless", "steady"), ("now-and-then", "steady"), ("m1", "reckless"), rounds=6)
    assert by_identity(played(tasks, 1)) == by_identity(played(tasks, 3))


@MOSTLY_SHARED
def test_games_do_not_depend_on_the_size_of_orders(monkeypatch: pytest.MonkeyPatch, isolate: bool) -> None:
    tasks = games(("reckless", "steady"), ("now-and-then", "steady"), rounds=10)
    expected = by_identity(played(tasks, 2, isolate=isolate))
    with monkeypatch.context() as patch:
        patch.setattr(pool, "ORDER_GAMES", 1)
        assert by_identity(played(tasks, 2, isolate=isolate)) == expected
    inject(monkeypatch, PATHS + "import arena.workers.guard as g; g.ORDER_SECONDS = 0.01")
    assert by_identity(played(tasks, 2, isolate=isolate, fresh=True)) == expected


def test_a_rare_fault_costs_one_game_each_time() -> None:
    records = played(games(("now-and-then", "steady"), rounds=150))
    forfeits = [record for record in records if record.forfeited_by]
    assert 5 < len(forfeits) < 40
    assert {culprit(record) for record in forfeits} == {"now-and-then"}
    assert all("lost my mind this time" in (record.reason or "") for record in forfeits)


def test_tasks_are_taken_when_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LOOKAHEAD", 10)
    tasks = iter(games(("reckless", "steady"), rounds=100))
    with Launcher() as launcher, Pool(tasks, 2, launcher, move_timeout=60.0) as running:
        next(record for record in running if record is not None)
    assert len(list(tasks)) >= 80


def test_changed_weights_stop_the_tournament() -> None:
    [task, _] = games(("reckless", "steady"))
    with pytest.raises(TournamentStopped, match=r"the weights of steady are None, and those of the .* 1f2e"):
        played([replace(task, white_weights="1f2e")])


def test_an_error_of_the_arena_stops_the_tournament_after_ten_attempts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inject(monkeypatch, PATHS + "import arena.referee.match as m; m.Match.play = None")
    lines: list[str] = []
    with (
        pytest.raises(TournamentStopped, match="reckless vs steady failed 10 times, by no player's fault"),
        Launcher(lines.append) as launcher,
        Pool(games(("reckless", "steady"), rounds=1), 1, launcher, move_timeout=60.0) as running,
    ):
        list(running)
    assert lines == ["a guard ended because of TypeError: 'NoneType' object is not callable"]


@pytest.mark.parametrize("forks", [pytest.param(True, marks=forks_only), False], ids=["forked", "interpreters"])
def test_a_worker_that_cannot_start_stops_the_tournament(monkeypatch: pytest.MonkeyPatch, forks: bool) -> None:
    monkeypatch.setattr(system, "FORKS", forks)
    inject(monkeypatch, "import no_such_module")
    with pytest.raises(TournamentStopped, match=r"cannot start: exit code 1; ModuleNotFoundError: No .*'no_such"):
        played(games(("reckless", "steady")), fresh=True)


@pytest.mark.parametrize("forks", [pytest.param(True, marks=forks_only), False], ids=["forked", "interpreters"])
def test_workers_that_are_always_killed_stop_the_tournament(monkeypatch: pytest.MonkeyPatch, forks: bool) -> None:
    monkeypatch.setattr(system, "FORKS", forks)
    monkeypatch.setattr(pool, "ATTEMPTS", 4)
    inject(monkeypatch, "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(TournamentStopped, match="failed 4 times, by no player's fault"):
        played(games(("reckless", "steady")), 1, fresh=True)


@forks_only
def test_a_worker_that_sends_nothing_stops_the_tournament(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "SILENCE", 0.2)
    monkeypatch.setattr("arena.workers.launcher._EXIT_TIMEOUT", 0.2)
    inject(monkeypatch, "import time; time.sleep(600)")
    with pytest.raises(TournamentStopped, match=r"a worker has not answered for 0\.2 seconds"):
        played(games(("reckless", "steady")), 1, fresh=True)


@forks_only
def test_a_fork_server_that_is_killed_several_times_is_replaced(monkeypatch: pytest.MonkeyPatch, notes: Path) -> None:
    attempts = notes / "attempts"
    inject(
        monkeypatch,
        f"import os, pathlib; t = pathlib.Path({str(attempts)!r}); t.open('a').write('.'); "
        "t.stat().st_size > 3 or os.kill(os.getpid(), 9)",
    )
    assert len(played(games(("reckless", "steady")), fresh=True)) == 2
    assert attempts.read_text() == "...."


@pytest.mark.long
@forks_only
def test_processes_killed_at_random_change_no_game() -> None:
    generator, killed = random.Random(5), 0
    tasks = games(("reckless", "steady"), ("moody", "steady"), ("m1", "raises-in-choose"), rounds=8)
    expected = by_identity(played(tasks))
    records = []
    SHARED.close()
    with Launcher() as launcher, Pool(tasks, 2, launcher, move_timeout=60.0) as running:
        for record in running:
            if record is not None:
                records.append(record)
                victims = psutil.Process().children(recursive=True)
                if len(records) % 4 == 0 and victims:
                    for victim in generator.sample(victims, min(len(victims), generator.randint(1, 3))):
                        with suppress(psutil.Error):
                            victim.kill()
                            killed += 1
    assert len(records) == len(tasks)
    assert by_identity(records) == expected
    assert killed >= 5


@pytest.mark.long
def test_games_are_the_same_if_processes_cannot_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = games(("raises-in-choose", "steady"), ("reckless", "steady"))
    expected = by_identity(played(tasks))
    monkeypatch.setattr(system, "FORKS", False)
    inject(monkeypatch, PATHS + "import arena.workers.system as s; s.FORKS = False")
    assert by_identity(played(tasks, fresh=True)) == expected


@forks_only
def test_a_plugin_that_starts_threads_makes_workers_start_as_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    tasks, lines = games(("reckless", "steady")), []
    expected = by_identity(played(tasks))
    monkeypatch.setenv("ARENA_FAULTY_THREAD", "1")
    with Launcher(lines.append) as launcher, Pool(tasks, 1, launcher, move_timeout=60.0) as running:
        assert by_identity([record for record in running if record is not None]) == expected
    assert lines == [
        "workers start more slowly, because processes cannot be forked: "
        "plugins or CUDA started threads at import; start threads later"
    ]


@forks_only
def test_a_kernel_without_a_cache_is_reported_once() -> None:
    lines: list[str] = []
    tasks = games(("compiles", "steady"), ("compiles", "reckless"))
    with Launcher(lines.append) as launcher, Pool(tasks, 2, launcher, move_timeout=60.0) as running:
        assert len([record for record in running if record is not None]) == 4
    assert lines == ["Numba compiles arena_faulty.code._next_number again for every order: compile it with cache=True"]


SCRIPT = """
    import sys
    sys.path[:0] = {path!r}
    from faulty import games
    from arena.workers.launcher import Launcher
    from arena.workers.pool import Pool
    if __name__ == "__main__":
        tasks = games(("hangs", "steady"), rounds=1)
        with Launcher() as launcher, Pool(tasks, 1, launcher, move_timeout=600.0) as pool:
            list(pool)
"""


@forks_only
@pytest.mark.parametrize("ending", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_all_processes_end_with_the_arena(notes: Path, ending: signal.Signals) -> None:
    (notes / "hangs").unlink(missing_ok=True)
    arena = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SCRIPT.format(path=sys.path))])
    try:
        while not (notes / "hangs").exists() or not (notes / "hangs").read_text():
            assert arena.poll() is None
            time.sleep(0.01)
        started = psutil.Process(arena.pid).children(recursive=True)
    finally:
        arena.send_signal(ending)
        arena.wait()
    assert len(started) == 3
    for process in started:
        wait_for_end(process.pid)


@forks_only
@pytest.mark.parametrize(
    "seconds", [0.3, *(pytest.param(seconds, marks=pytest.mark.long) for seconds in (0.0, 0.05, 1.0))]
)
def test_an_arena_killed_during_start_up_leaves_no_process_and_no_file(seconds: float, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    arena = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SCRIPT.format(path=sys.path))], env=environment)
    started: list[psutil.Process] = []
    while not started:
        assert arena.poll() is None
        time.sleep(0.01)
        started = psutil.Process(arena.pid).children(recursive=True)
    with suppress(subprocess.TimeoutExpired):
        arena.wait(seconds)
    started += psutil.Process(arena.pid).children(recursive=True)
    arena.kill()
    arena.wait()
    for process in started:
        wait_for_end(process.pid)
    assert not list(islice(tmp_path.iterdir(), 1))
