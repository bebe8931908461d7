"""The process that workers come from can be begun long before the first of them is needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from arena.tournament import launch, system
from arena.tournament.processes import Keeper, starter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(not system.FORKS, reason="processes cannot be forked here")


@pytest.fixture
def pipes() -> Iterator[tuple[int, int]]:
    """What a worker is given for its tasks and its messages."""
    inbox, tasks = os.pipe()
    messages, outbox = os.pipe()
    yield inbox, outbox
    for descriptor in (inbox, tasks, messages, outbox):
        os.close(descriptor)


def running() -> set[int]:
    """The processes that this one has started."""
    return set(system.children(os.getpid()))


def test_the_first_worker_comes_from_the_keeper_that_was_begun(tmp_path: Path, pipes: tuple[int, int]) -> None:
    before = running()
    with starter() as start:
        start.begin()
        begun = running() - before
        start.begin()
        start.start(tmp_path / "marker", *pipes)
        assert running() - before == begun
        assert len(begun) == 1
    assert running() <= before


def test_a_keeper_that_nobody_needs_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "KEEPER", "import time; time.sleep(600)")
    before = running()
    with starter() as start:
        start.begin()
        assert running() - before
    assert running() <= before


def test_a_keeper_that_must_compile_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pipes: tuple[int, int]
) -> None:
    marker = tmp_path / "compiled"
    elsewhere = f"import pathlib, arena.warmup; arena.warmup.marker = lambda _: pathlib.Path({str(marker)!r}); main()"
    monkeypatch.setattr(launch, "KEEPER", launch.KEEPER.replace("main()", elsewhere))
    said: list[str] = []
    for _ in range(2):
        with Keeper(said.append) as start:
            start.start(tmp_path / "marker", *pipes)
        assert said == ["compiling, first run only ..."]
        assert marker.exists()
