"""Players behind the protocol play the same tournament as directly."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from arena.plugins import specs
from faulty import games, played, timeless

PLAYERS = ["minimax:depth=3", "lms"]


def wrapped(player: str) -> str:
    """Return the canonical spec of a player behind the protocol."""
    return specs.parse("player", f'engine:name=wrapped:command="{sys.executable} -m arena engine {player}"').text


@pytest.mark.long
@pytest.mark.usefixtures("fork_server")
@pytest.mark.parametrize("player", PLAYERS)
def test_a_tournament_has_the_same_moves_and_reports(player: str) -> None:
    spec = wrapped(player)
    tasks = games((spec, "minimax:depth=2"), rounds=4)
    names = {spec: player, "minimax:depth=2": "minimax:depth=2"}
    weights = specs.parse("player", player).weights
    direct = [
        replace(
            task,
            black=names[task.black],
            white=names[task.white],
            black_weights=weights if task.black == spec else None,
            white_weights=weights if task.white == spec else None,
        )
        for task in tasks
    ]
    through = sorted(played(tasks, 2), key=lambda record: record.round)
    expected = sorted(played(direct, 2), key=lambda record: record.round)
    assert not any(record.forfeited_by for record in through)
    assert [replace(timeless(record), black=names[record.black], white=names[record.white]) for record in through] == [
        timeless(record) for record in expected
    ]
