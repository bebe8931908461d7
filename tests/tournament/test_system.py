"""How processes end, in words."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from arena.tournament import system

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("code", "words", "by_others"),
    [
        (0, "exit code 0", False),
        (3, "exit code 3", False),
        (-9, "signal 9 (SIGKILL)", True),
        (-15, "signal 15 (SIGTERM)", True),
        (-11, "signal 11 (SIGSEGV)", False),
        (-6, "signal 6 (SIGABRT)", False),
        (-99, "signal 99 (unnamed)", False),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="signals have other names here")
def test_how_a_process_ended(code: int, words: str, by_others: bool) -> None:
    assert system.ended(code) == words
    assert system.ended_by_others(code) is by_others


def test_there_is_a_processor() -> None:
    assert 1 <= system.processors() <= (os.cpu_count() or 1)


@pytest.mark.skipif(not system.FORKS, reason="nobody can tell here")
def test_a_process_is_weighed_and_its_threads_are_counted() -> None:
    me = os.getpid()
    before, threads = system.memory(me), system.threads(me)
    kept = b"x" * 50_000_000
    assert 45_000_000 < system.taken(me, before) < 60_000_000
    del kept
    assert system.taken(me, before) < 10_000_000
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    assert threads is not None
    assert system.threads(me) == threads + 1
    done.set()
    other.join()


def test_a_process_that_is_not_there_weighs_nothing() -> None:
    assert system.memory(2**22 + 1) is None
    assert system.threads(2**22 + 1) is None
    assert system.taken(2**22 + 1, 1) == system.taken(os.getpid(), None) == 0


@pytest.mark.skipif(not system.FORKS, reason="nobody can tell here")
def test_what_counts_is_what_a_process_has_now_and_not_what_it_once_had() -> None:
    before = system.memory(os.getpid())
    assert not system.took_more(before, 100_000_000)
    kept = b"x" * 200_000_000
    assert system.took_more(before, 100_000_000)
    assert not system.took_more(before, 400_000_000)
    del kept
    assert not system.took_more(before, 100_000_000)
    assert not system.took_more(None, 0)


@pytest.mark.skipif(not system.FORKS, reason="pipes are as wide as they are")
def test_a_widened_pipe_holds_what_is_written_before_anybody_reads() -> None:
    source, target = os.pipe()
    os.set_blocking(target, False)
    assert system.widen(source)
    assert os.write(target, bytes(2 * system.PIPE)) == system.PIPE
    system.wait_for_end(source, 0.01)
    os.close(target)
    system.wait_for_end(source, 600.0)
    os.close(source)


def test_what_is_no_pipe_is_not_widened(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        assert not system.widen(file.fileno())
