"""Records on their way from a worker, where anybody may have had a hand in them."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest

from arena.columns import DEPTHS, NODES, SCORES, SECONDS
from arena.record import GameRecord, Remarks

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
    guilty="black",
    reason="ValueError: \ud83d nö",
    remarks=Remarks.packed(
        scores=SCORES.array_of((None, 0.5, None)),
        depths=DEPTHS.array_of((None, 3, None)),
        nodes=NODES.array_of((None, 2**62 + 1, 0)),
        seconds=SECONDS.array_of((None, 0.25, 1e-6)),
        pvs=("", "22-18 13x22", ""),
    ),
    started=1.5,
)


def sent(record: GameRecord) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(json.dumps(record.to_json()))
    return values


def test_a_record_arrives_as_it_was_sent() -> None:
    assert GameRecord.from_json(sent(RECORD)) == RECORD


def test_what_was_packed_is_there_for_each_ply() -> None:
    assert RECORD.plies == 3
    assert RECORD.moves == ("9-13", "22-18", "13x22")
    assert RECORD.scores == (None, 0.5, None)
    assert RECORD.depths == (None, 3, None)
    assert RECORD.nodes == (None, 2**62 + 1, 0)
    assert RECORD.pvs == (None, "22-18 13x22", None)
    assert RECORD.seconds == (None, 0.25, pytest.approx(1e-6))


def test_columns_may_be_empty() -> None:
    silent = replace(RECORD, remarks=Remarks())
    arrived = GameRecord.from_json(sent(silent))
    assert [arrived.scores, arrived.depths, arrived.nodes, arrived.pvs, arrived.seconds] == [(None,) * 3] * 5


def test_a_game_without_moves() -> None:
    empty = replace(RECORD, boards=bytes(12), movetext="", remarks=Remarks())
    assert GameRecord.from_json(sent(empty)) == empty


@pytest.mark.parametrize(
    "changes",
    [
        {"result": "2-0"},
        {"first": "nobody"},
        {"guilty": "both"},
        {"guilty": ["black"]},
        {"round": "3"},
        {"round": True},
        {"seed": 1.5},
        {"started": None},
        {"started": float("nan")},
        {"black": None},
        {"reason": 7},
        {"opening": "\ud800"},
        {"movetext": "9-13 22-18"},
        {"movetext": None},
        {"movetext": "9-13 22-18 \ud800"},
        {"movetext": "9-13\t22-18 13x22"},
        {"pvs": "22-18"},
        {"pvs": "\ud800\n\n"},
        {"boards": ""},
        {"boards": "!"},
        {"scores": b64encode(bytes(11)).decode()},
        {"nodes": [1, 2, 3]},
        {"depths": ""},
        {"seconds": "???"},
    ],
    ids=str,
)
def test_what_could_be_no_game_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError)):
        GameRecord.from_json(sent(RECORD) | changes)


def test_what_is_missing_is_refused() -> None:
    for name in sent(RECORD):
        with pytest.raises(KeyError, match=name):
            GameRecord.from_json({key: value for key, value in sent(RECORD).items() if key != name})
