"""How processes end, in words."""

from __future__ import annotations

import os

import pytest

from arena.tournament import system


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
