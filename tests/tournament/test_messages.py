"""Messages between the arena and its workers, where anybody may have had a hand in what a worker says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.adjudication import Agreement
from arena.checkers.game import DrawRules, Limits
from arena.columns import DEPTHS, NODES, SCORES, SECONDS
from arena.opening import Opening
from arena.record import GameRecord, Remarks
from arena.task import GameTask
from arena.tournament.messages import Order, heard, message, recorded, report

TASK = GameTask(
    pairing="lms vs random",
    round=3,
    seed=2**63 - 1,
    opening=Opening("9-13", ("9-13",)),
    black="lms",
    white="random",
)
RECORD = GameRecord(
    pairing=TASK.pairing,
    round=TASK.round,
    seed=TASK.seed,
    opening=TASK.opening.name,
    black=TASK.black,
    white=TASK.white,
    first="black",
    boards=bytes(range(48)),
    movetext="9-13 22-18 13x22",
    result="0-1",
    termination="exception",
    guilty="black",
    reason="ValueError:\n\t\ud83d nö",
    remarks=Remarks.packed(
        scores=SCORES.array_of((None, 0.5, None)),
        depths=DEPTHS.array_of((None, 3, None)),
        nodes=NODES.array_of((None, 2**62 + 1, 0)),
        seconds=SECONDS.array_of((None, 0.25, 1e-6)),
        pvs=("", "22-18 13x22", ""),
    ),
    started=1795311763.9441388,
)
FIELDS = (
    "seed",
    "first",
    "result",
    "termination",
    "guilty",
    "reason",
    "started",
    "sizes",
    "moves",
    "pvs",
    "numbers",
)
"""What a record consists of on its way, in this order."""


def fields_of(record: GameRecord) -> dict[str, bytes]:
    kind, value = heard(report(record))
    assert kind == "record"
    return dict(zip(FIELDS, value.split(b"\t"), strict=True))


def arrived(record: GameRecord) -> GameRecord:
    return recorded(TASK, heard(report(record))[1])


def test_a_record_arrives_as_it_was_sent() -> None:
    assert arrived(RECORD) == RECORD


REASONS = st.text(st.characters(exclude_characters="\0"))
ENDS = st.one_of(
    st.tuples(
        st.sampled_from(("1-0", "0-1", "1/2-1/2")),
        st.sampled_from(("no moves", "repetition", "quiet plies", "ply cap", "tables", "scores")),
        st.none(),
        st.none(),
    ),
    *(
        st.tuples(
            st.just(result),
            st.sampled_from(("exception", "illegal move", "timeout", "crash", "memory")),
            st.just(guilty),
            REASONS,
        )
        for result, guilty in (("0-1", "black"), ("1-0", "white"))
    ),
)
"""Result, termination, who is guilty, and the reason."""


@given(
    ENDS,
    st.lists(st.tuples(st.none() | st.floats(width=32, allow_nan=False), st.none() | st.integers(0, 2**63 - 1))),
    st.floats(0, 2**34),
)
def test_any_record_arrives_as_it_was_sent(
    end: tuple[str, str, str | None, str | None], plies: list[tuple[float | None, int | None]], started: float
) -> None:
    result, termination, guilty, reason = end
    remarks = Remarks.packed(
        scores=SCORES.array_of(score for score, _ in plies),
        depths=DEPTHS.array_of(None for _ in plies),
        nodes=NODES.array_of(nodes for _, nodes in plies),
        seconds=SECONDS.array_of(score for score, _ in plies),
        pvs=["9-13" if nodes else "" for _, nodes in plies],
    )
    movetext = " ".join(["9-13"] * len(plies))
    boards = bytes(number % 256 for number in range(12 * (len(plies) + 1)))
    record = replace(
        RECORD,
        result=result,
        termination=termination,
        guilty=guilty,
        reason=reason,
        boards=boards,
        movetext=movetext,
        remarks=remarks,
        started=started,
    )
    assert arrived(record) == record


def test_columns_may_be_empty() -> None:
    silent = replace(RECORD, remarks=Remarks())
    assert arrived(silent) == silent


def test_a_game_without_moves() -> None:
    empty = replace(RECORD, boards=bytes(12), movetext="", remarks=Remarks())
    assert arrived(empty) == empty


def test_a_game_without_fault() -> None:
    fair = replace(RECORD, guilty=None, reason=None, termination="no moves")
    assert arrived(fair) == fair


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": b"1"},
        {"seed": b"9223372036854775807.0"},
        {"first": b"nobody"},
        {"first": b""},
        {"result": b"2-0"},
        {"termination": b"boredom"},
        {"guilty": b"both"},
        {"reason": b"7"},
        {"reason": b"without quotes"},
        {"reason": '"nö"'.encode()},
        {"reason": b""},
        {"reason": rb'"\u0000"'},
        {"reason": b'"' + 10**6 * b"x" + b'"'},
        {"guilty": b"white"},
        {"guilty": b"", "reason": b""},
        {"guilty": b"", "termination": b"no moves"},
        {"result": b"1/2-1/2"},
        {"termination": b"no moves"},
        {"started": b"nan"},
        {"started": b"-1"},
        {"started": b"1e300"},
        {"started": b"1e999"},
        {"started": b""},
        {"sizes": b""},
        {"sizes": b"48 12 6 24 +12"},
        {"sizes": b"4_8 12 6 24 12"},
        {"sizes": b"48 12 6 24 12 0"},
        {"sizes": b" ".join(10_000 * [b"999 -999"])},
        {"sizes": b"48 12 6 24"},
        {"sizes": b"48 12 6 24 12 0"},
        {"sizes": b"48 12 6 24 1_000_000"},
        {"sizes": b"48 12 6 24 many"},
        {"sizes": b"48 12 6 24 0"},
        {"sizes": b"48 6 12 24 12"},
        {"sizes": b"0 12 6 24 12"},
        {"sizes": b"48 12 6 24 12", "numbers": bytes(102).hex().encode() + b"00"},
        {"sizes": b"48 11 6 24 12", "numbers": bytes(101).hex().encode()},
        {"sizes": b"48 12 6 24 -12", "numbers": bytes(78).hex().encode()},
        {"numbers": b""},
        {"numbers": bytes(101).hex().encode()},
        {"numbers": bytes(103).hex().encode()},
        {"numbers": bytes(102).hex().encode() + b"0"},
        {"numbers": bytes(102).hex().encode() + b"\t"},
        {"numbers": b"??" + bytes(101).hex().encode()},
        {"moves": b"9-13 22-18"},
        {"moves": b"9-13  22-18"},
        {"moves": b" 22-18 13x22"},
        {"moves": b"9-13 22-18 "},
        {"moves": b"9-13 22-18 \0"},
        {"moves": "9-13 22-18 nö".encode()},
        {"moves": b""},
        {"pvs": b"22-18"},
        {"pvs": b",,,"},
        {"pvs": b",nonsense,"},
        {"pvs": "ö,,".encode()},
        {"pvs": b"\0,,"},
    ],
    ids=str,
)
def test_what_could_be_no_record_of_the_game_is_refused(changes: dict[str, bytes]) -> None:
    fields = fields_of(RECORD)
    assert fields | changes != fields
    with pytest.raises((TypeError, ValueError)):
        recorded(TASK, b"\t".join((fields | changes).values()))


@pytest.mark.parametrize("name", FIELDS)
def test_what_is_missing_is_refused(name: str) -> None:
    fields = fields_of(RECORD)
    del fields[name]
    with pytest.raises((TypeError, ValueError)):
        recorded(TASK, b"\t".join(fields.values()))


def test_a_part_of_a_record_is_none() -> None:
    _, value = heard(report(RECORD))
    for length in range(len(value)):
        with pytest.raises((TypeError, ValueError)):
            recorded(TASK, value[:length])


@pytest.mark.parametrize("record", [RECORD, replace(RECORD, remarks=Remarks(), reason="tab\tend\n")])
def test_a_record_is_one_line_of_ascii(record: GameRecord) -> None:
    line = report(record)
    assert line.isascii()
    assert line.index(b"\n") == len(line) - 1


def test_what_else_is_said_is_json() -> None:
    assert heard(message("ready", None)) == ("ready", b"null")
    assert heard(message("disturbed", [1, "tab\tö\n"])) == ("disturbed", rb'[1, "tab\t\u00f6\n"]')


@pytest.mark.parametrize("line", [b"", b"\n", b"babble", b"\t", b"\t\t\n"])
def test_anything_may_be_heard(line: bytes) -> None:
    kind, _ = heard(line)
    assert kind in ("", "babble")


def test_what_is_not_ascii_is_no_message() -> None:
    with pytest.raises(ValueError, match="ascii"):
        heard("réady\t5\n".encode())


ORDERS = [
    Order(TASK, 2 << 30),
    Order(replace(TASK, seed=1, round=4, black="random", white="lms"), 2 << 30, apart=True),
    Order(replace(TASK, opening=Opening("tab\tö\n", (), "B:W32:B1"), rules=DrawRules(None, 5, None)), 0),
    Order(replace(TASK, limits=Limits(depth=3, nodes=7, seconds=0.5, clock=60.0, increment=0.5)), 1),
    Order(replace(TASK, scores=Agreement(1.5, 300.0, 4), tables=5), 1),
    Order(replace(TASK, black_weights="1f2e", white_model="ab" * 16), 1),
    Order(replace(TASK, white_weights="1f2e", black_model="ab" * 16), 1),
]


@pytest.mark.parametrize("order", ORDERS)
def test_an_order_arrives_as_it_was_sent(order: Order) -> None:
    assert Order.read(order.text.encode() + b"\n") == [order]


def test_orders_arrive_in_their_order() -> None:
    line = "\t".join(order.text for order in ORDERS)
    assert Order.read(line.encode() + b"\n") == ORDERS
    assert line.isascii()
    assert "\n" not in line
