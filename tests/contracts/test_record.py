"""The values of each ply in a game record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.contracts.columns import DEPTHS, NODES, SCORES, SECONDS
from arena.contracts.record import GameRecord, PlyInfo

RECORD = GameRecord(
    pairing="lms vs random",
    round=3,
    seed=2**63 - 1,
    opening="9-13",
    black="lms",
    white="random",
    first="black",
    boards=bytes(range(48)),
    movetext="9-13 22-18 13x22",
    result="0-1",
    termination="exception",
    forfeited_by="black",
    reason="ValueError: \ud83d nö",
    ply_info=PlyInfo.packed(
        scores=SCORES.array_of((None, 0.5, None)),
        depths=DEPTHS.array_of((None, 3, None)),
        nodes=NODES.array_of((None, 2**62 + 1, 0)),
        seconds=SECONDS.array_of((None, 0.25, 1e-6)),
        pvs=("", "22-18 13x22", ""),
    ),
    started=1.5,
)


def test_the_properties_unpack_the_values_of_each_ply() -> None:
    assert RECORD.plies == 3
    assert RECORD.moves == ("9-13", "22-18", "13x22")
    assert RECORD.scores == (None, 0.5, None)
    assert RECORD.depths == (None, 3, None)
    assert RECORD.nodes == (None, 2**62 + 1, 0)
    assert RECORD.pvs == (None, "22-18 13x22", None)
    assert RECORD.seconds == (None, 0.25, pytest.approx(1e-6))


def test_missing_columns_are_none_for_each_ply() -> None:
    record = replace(RECORD, ply_info=PlyInfo())
    assert [record.scores, record.depths, record.nodes, record.pvs, record.seconds] == [(None,) * 3] * 5


def test_a_game_without_moves_has_no_plies() -> None:
    empty = replace(RECORD, boards=bytes(12), movetext="", ply_info=PlyInfo())
    assert (empty.plies, empty.moves, empty.scores, empty.pvs) == (0, (), (), ())
