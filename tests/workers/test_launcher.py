"""The fork server can start before the first guard is needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.workers import system
from arena.workers.launcher import Launcher
from arena.workers.messages import Order
from faulty import games

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")


def running() -> set[int]:
    """Return the ids of the children of this process."""
    return {process.pid for process in psutil.Process().children()}


def test_the_first_guard_uses_a_fork_server_that_was_started_before() -> None:
    before = running()
    with Launcher() as launcher:
        launcher.start_fork_server()
        started = running() - before
        launcher.start_fork_server()
        tasks = games(("random", "m1"), rounds=1)
        guard = launcher.start_guard(tasks[0])
        guard.send(Order(tasks, 60.0, 1 << 30))
        while not guard.receive().done:
            pass
        guard.close()
        assert running() - before == started
        assert len(started) == 1
    assert running() <= before


def test_an_unused_fork_server_is_killed_without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "COMMAND", "import time; time.sleep(600)")
    before = running()
    with Launcher() as launcher:
        launcher.start_fork_server()
        assert running() - before
    assert running() <= before


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a variable for the folder of the cache")
def test_a_fork_server_shows_once_that_it_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lines: list[str] = []
    for _ in range(2):
        with Launcher() as launcher:
            tasks = games(("random", "random"), rounds=1)
            guard = launcher.start_guard(tasks[0])
            guard.send(Order(tasks, 60.0, 1 << 30))
            while not (progress := guard.receive()).done:
                lines += progress.lines
            guard.close()
        assert lines == ["compiling kernels, first run only ..."]
