"""Fixtures that install the plugin of faulty players in this process and its workers, and helpers for their games."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.openings import ThreeMove
from arena.plugins import registry
from arena.tournament import schedule
from arena.workers.launcher import Launcher
from arena.workers.pool import Pool
from launchers import SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask

PLUGINS = Path(__file__).parent / "tournament" / "plugins"
_launchers: list[Callable[[], Launcher]] = [Launcher]
"""The last one makes the launchers of the current module."""
BOTH_MODES = pytest.mark.parametrize("isolate", [False, True], ids=["shared", "isolated"])
MODES = [False, pytest.param(True, marks=pytest.mark.long)]
"""Values of ``isolate``. In shared mode, a game with a failure is played again in isolated mode, so both are tested."""
MOSTLY_SHARED = pytest.mark.parametrize("isolate", MODES, ids=["shared", "isolated"])


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Register the players of ``arena_faulty``. The value is the folder in which the players write notes."""
    folder = tmp_path_factory.getbasetemp() / "notes"  # the same for all modules, which share fork servers
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGINS)
        patch.setenv("ARENA_FAULTY_NOTES", str(folder))
        registry.load.cache_clear()
        yield folder
    registry.load.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "arena_faulty"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def fork_server(notes: Path) -> Iterator[None]:  # noqa: ARG001 (installs the players first)
    """Let the shared fork server play the games of a module. Check that no other process remains at the end."""
    before = set(psutil.Process().children())
    _launchers.append(SHARED)
    yield
    _launchers.pop()
    assert set(psutil.Process().children()) - before <= SHARED.processes()


def games(*pairings: tuple[str, str], rounds: int = 2) -> list[GameTask]:
    """Return the first ``rounds`` games of each pairing. The players play Black alternately."""
    openings = schedule.sample(ThreeMove().openings(), rounds + rounds % 2, 1)
    tasks = schedule.tasks([(min(pair), max(pair)) for pair in pairings], openings, 1)
    return [task for task in tasks if task.round < rounds]


def played(
    tasks: Iterable[GameTask],
    workers: int = 4,
    *,
    isolate: bool = False,
    move_timeout: float = 60.0,
    memory: int = 1000,
    fresh: bool = False,
) -> list[GameRecord]:
    """Play the tasks and return their records. Check that each task has exactly one.

    ``fresh`` starts a launcher for this call, even if the module uses the shared one.
    """
    planned = list(tasks)
    with (
        (Launcher if fresh else _launchers[-1])() as launcher,
        Pool(planned, workers, launcher, move_timeout=move_timeout, memory=memory, isolate=isolate) as pool,
    ):
        records = [record for record in pool if record is not None]
    assert sorted(map(identity, records)) == sorted((task.pairing, task.round) for task in planned)
    return records


def identity(record: GameRecord) -> tuple[str, int]:
    return record.pairing, record.round


def timeless(record: GameRecord) -> GameRecord:
    return replace(record, ply_info=record.ply_info._replace(seconds=None), started=0.0)


def culprit(record: GameRecord) -> str | None:
    """Return the spec of the player that forfeited, or None."""
    return {"black": record.black, "white": record.white, None: None}[record.forfeited_by]


def wait_for_end(process: int) -> None:
    """Wait until the process with the id ``process`` has ended. A zombie has ended, too."""
    with suppress(psutil.NoSuchProcess):
        handle = psutil.Process(process)
        while handle.status() != psutil.STATUS_ZOMBIE:
            with suppress(psutil.TimeoutExpired):
                handle.wait(0.02)
