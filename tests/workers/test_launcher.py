"""The fork server can be started long before the first guard is needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.workers import system
from arena.workers.launcher import Launcher
from arena.workers.messages import Alive
from faulty import games

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")


def running() -> set[int]:
    """The processes that this one has started."""
    return {process.pid for process in psutil.Process().children()}


def test_the_first_guard_comes_from_the_fork_server_that_was_begun() -> None:
    before = running()
    with Launcher() as launcher:
        launcher.begin()
        started = running() - before
        launcher.begin()
        guard = launcher.guard(games(("random", "m1"))[0])
        assert isinstance(guard.receive(), Alive)
        guard.close()
        assert running() - before == started
        assert len(started) == 1
    assert running() <= before


def test_a_fork_server_that_nobody_needs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "COMMAND", "import time; time.sleep(600)")
    before = running()
    with Launcher() as launcher:
        launcher.begin()
        assert running() - before
    assert running() <= before


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no variable names the folder of the cache")
def test_a_fork_server_that_must_compile_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    said: list[str] = []
    for _ in range(2):
        with Launcher(said.append) as launcher:
            guard = launcher.guard(games(("random", "random"))[0])
            assert isinstance(guard.receive(), Alive)
            launcher.look()
            guard.close()
        assert said == ["compiling kernels, first run only ..."]
