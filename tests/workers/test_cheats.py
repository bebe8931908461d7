"""In isolated mode, a player cannot forge a result through the processes or channels of the tournament."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from arena.workers import system
from faulty import culprit, games, played

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.usefixtures("fork_server"),
    pytest.mark.skipif(not system.FORKS, reason="processes are not protected on this system"),
]


def test_a_record_sent_by_a_player_is_an_invalid_message() -> None:
    for record in played(games(("forges-records", "steady")), isolate=True):
        assert (culprit(record), record.termination) == ("forges-records", "crash")
        assert record.reason == "the process sent an invalid message"


def test_a_player_that_sends_answers_without_end_forfeits() -> None:
    for record in played(games(("floods", "steady")), isolate=True):
        assert (culprit(record), record.termination) == ("floods", "crash")


def test_a_player_cannot_access_the_processes_of_the_tournament(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # for interpreters of the player
    (notes / "inspected").unlink(missing_ok=True)
    [record] = played(games(("inspects", "steady"), rounds=1), isolate=True, fresh=True)
    assert record.forfeited_by is None
    assert (notes / "inspected").read_text() == "sockets: 1"


def test_a_player_can_inspect_its_own_process(notes: Path) -> None:
    [record] = played(games(("traces-its-child", "steady"), rounds=1), isolate=True)
    assert record.forfeited_by is None
    assert (notes / "traced").read_text() == "memory and environment"
