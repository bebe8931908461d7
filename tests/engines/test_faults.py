"""Engines that fail forfeit their games in a tournament, and leave no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.workers import system
from faulty import BOTH_MODES, culprit, games, played, wait_for_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not system.FORKS, reason="these tests find processes as Linux does"),
]
FAULTS = {
    # mode: termination, end of the reason
    "hang": ("timeout", "> go think\nhang did not answer within 5 seconds"),
    "exit": ("crash", "! something is wrong\nexit ended with exit code 3"),
    "illegal": ("illegal move", "< done move=1-5\nillegal chose an illegal move: '1-5' is not a legal move in"),
    "garbage": ("timeout", "< pv\ngarbage did not answer within 5 seconds"),
    "error": ("exception", "error reported an error: out of luck"),
    "missing-parameter": ("exception", "good has no parameter 'x'; its parameters: hash, quiet-plies, seed"),
}


@pytest.mark.usefixtures("fork_server")
@BOTH_MODES
def test_an_engine_that_fails_forfeits_with_its_last_lines(fake: Callable[..., str], isolate: bool) -> None:
    specs = {mode: fake(mode, timeout=5) for mode in ("hang", "garbage")}
    specs |= {mode: fake(mode) for mode in ("exit", "illegal", "error")}
    specs["missing-parameter"] = fake("good", params="x=1")
    tasks = games(*((spec, "random") for spec in specs.values()), rounds=1)
    records = {culprit(record): record for record in played(tasks, 1, isolate=isolate)}
    for mode, spec in specs.items():
        termination, reason = FAULTS[mode]
        assert records[spec].termination == termination
        assert reason in str(records[spec].reason)


@pytest.mark.usefixtures("fork_server")
@BOTH_MODES
def test_the_memory_of_an_engine_counts(fake: Callable[..., str], isolate: bool) -> None:
    (record,) = played(games((fake("memory"), "random"), rounds=1), 1, isolate=isolate, memory=350)
    assert (record.termination, culprit(record)) == ("memory", fake("memory"))
    assert record.reason == "took more than 350 MB of memory"


@pytest.mark.usefixtures("fork_server")
def test_an_engine_that_exceeds_the_move_timeout_is_killed(fake: Callable[..., str], tmp_path: Path) -> None:
    (record,) = played(games((fake("hang-deaf", timeout=600), "random"), rounds=1), 1, move_timeout=2.0)
    assert (record.termination, record.reason) == ("timeout", "no answer within 2 seconds")
    assert not any(psutil.pid_exists(process) for process in started(tmp_path))


def started(folder: Path) -> list[int]:
    """Return the ids of the engines that have started."""
    return [int(line) for line in (folder / "notes").read_text().splitlines() if line.isdigit()]


@pytest.fixture
def thinking(fake: Callable[..., str], tmp_path: Path) -> Iterator[tuple[psutil.Process, psutil.Process]]:
    """The process of a tournament, and the engine in it, which thinks for ever."""
    command = [sys.executable, "-m", "arena", "tournament", "--players", f"random,{fake('hang-deaf', timeout=600)}"]
    command += ["--games", "2", "--workers", "1", "--move-timeout", "600"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as tournament:
        notes = tmp_path / "notes"
        while not notes.exists() or "go think" not in notes.read_text():
            assert tournament.poll() is None
            time.sleep(0.05)
        yield psutil.Process(tournament.pid), psutil.Process(started(tmp_path)[-1])
        tournament.kill()


def test_the_engine_ends_if_its_tournament_is_killed(thinking: tuple[psutil.Process, psutil.Process]) -> None:
    tournament, engine = thinking
    tournament.kill()
    wait_for_end(engine.pid)


def test_the_engine_ends_if_its_player_process_is_killed(thinking: tuple[psutil.Process, psutil.Process]) -> None:
    _, engine = thinking
    os.kill(engine.ppid(), signal.SIGKILL)
    wait_for_end(engine.pid)


def test_the_engine_ends_if_all_processes_above_it_are_killed(
    thinking: tuple[psutil.Process, psutil.Process],
) -> None:
    tournament, engine = thinking
    above = [process for process in tournament.children(recursive=True) if process != engine]
    for process in (*above, tournament):
        process.suspend()
    for process in (*above, tournament):
        process.kill()
    wait_for_end(engine.pid)
