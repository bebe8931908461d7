"""The plugin of faulty players, installed for a test in this process and its workers, and games for them."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext, suppress
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from arena.contracts.record import GameRecord
    from arena.referee.task import GameTask

PLUGINS = Path(__file__).parent / "tournament" / "plugins"
_launchers: list[Launcher] = []
"""The one that tests of a module share."""
BOTH_MODES = pytest.mark.parametrize("isolate", [False, True], ids=["shared", "isolated"])


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Makes the players of ``arena_faulty`` known; the folder where they leave notes."""
    folder = tmp_path_factory.mktemp("notes")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGINS)
        patch.setenv("ARENA_FAULTY_NOTES", str(folder))
        registry.load.cache_clear()
        yield folder
    registry.load.cache_clear()
    sys.modules.pop("arena_faulty", None)


@pytest.fixture(scope="module")
def fork_server(notes: Path) -> Iterator[None]:  # noqa: ARG001 (installs the players first)
    """All tests of a module have their games played by one fork server; no process is left in the end."""
    with Launcher() as launcher:
        _launchers.append(launcher)
        yield
        _launchers.clear()
    assert not psutil.Process().children()


@pytest.fixture
def no_processes_left() -> Iterator[None]:
    """No process that the test started is left, neither alive nor as a zombie."""
    yield
    if os.name == "posix":
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


def games(*pairings: tuple[str, str], rounds: int = 2) -> list[GameTask]:
    """The first games of pairings: the players have the black pieces in turns."""
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
    """The records of the tasks, each of which has exactly one; ``fresh``: played by a launcher of their own."""
    known = list(tasks)
    with (
        nullcontext(_launchers[0]) if _launchers and not fresh else Launcher() as launcher,
        Pool(known, workers, launcher, move_timeout=move_timeout, memory=memory, isolate=isolate) as pool,
    ):
        records = [record for record in pool if record is not None]
    assert sorted(map(identity, records)) == sorted((task.pairing, task.round) for task in known)
    return records


def identity(record: GameRecord) -> tuple[str, int]:
    return record.pairing, record.round


def timeless(record: GameRecord) -> GameRecord:
    return replace(record, ply_info=record.ply_info._replace(seconds=None), started=0.0)


def culprit(record: GameRecord) -> str | None:
    """Who forfeited."""
    return {"black": record.black, "white": record.white, None: None}[record.forfeited_by]


def wait_for_end(process: int) -> None:
    """Wait until there is no such process, or it is a zombie that its parent must reap."""
    with suppress(psutil.NoSuchProcess):
        found = psutil.Process(process)
        while found.status() != psutil.STATUS_ZOMBIE:
            with suppress(psutil.TimeoutExpired):
                found.wait(0.02)
