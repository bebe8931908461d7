"""A player that gives no answer, or takes too much memory, forfeits, in both modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.workers import system
from faulty import MOSTLY_SHARED, culprit, games, identity, played, wait_for_end

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [
    pytest.mark.usefixtures("fork_server"),
    pytest.mark.skipif(not system.FORKS, reason="these players need signals"),
]
TIMEOUT = 5.0
"""Seconds. Only the hanging players exceed it."""


@MOSTLY_SHARED
def test_a_player_that_gives_no_answer_forfeits(isolate: bool, notes: Path) -> None:
    hanging = {"hangs", "hangs-deafly", "babbles", "alarm-later", "holds-the-lock-later"}
    patient = {"hangs-in-finish", "hangs-when-destroyed"}
    tasks = games(*((player, "slow") for player in hanging | patient), rounds=1)
    records = {record.black: record for record in played(tasks, len(tasks), isolate=isolate, move_timeout=TIMEOUT)}
    assert {player for player, record in records.items() if record.forfeited_by} == hanging
    for player in hanging:
        record = records[player]
        assert (record.termination, culprit(record)) == ("timeout", player)
        assert record.reason == "no answer within 5 seconds"
    wait_for_end(int((notes / "hangs").read_text()))


@MOSTLY_SHARED
def test_a_player_that_takes_too_much_memory_forfeits(isolate: bool) -> None:
    players = ("leaks", "leaks-at-once", "leaks-shared", "child-leaks")
    for record in played(games(*((player, "steady") for player in players)), isolate=isolate, memory=150):
        assert culprit(record) in players
        assert (record.termination, record.reason) == ("memory", "took more than 150 MB of memory")


def test_memory_that_grows_from_game_to_game_costs_no_forfeit() -> None:
    records = played(games(("leaks-elsewhere", "steady"), rounds=20), workers=1, memory=150)
    assert {identity(record)[1] for record in records if record.forfeited_by is None} == set(range(20))
