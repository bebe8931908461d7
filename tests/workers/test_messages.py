"""Messages arrive complete in chunks of any size. Bytes that are not a message of the expected types are refused."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.game import DrawRules, Limits, Report
from arena.contracts.opening import Opening
from arena.referee.adjudication import Agreement
from arena.referee.match import play
from arena.referee.task import GameTask
from arena.workers import messages
from arena.workers.messages import INVALID, Answer, Channel, Order, Progress

if TYPE_CHECKING:
    from collections.abc import Iterator

TASK = GameTask(
    *("m1 vs random", 3, 2**62 + 1, Opening("9-13", ("9-13",), None), "m1", "random"),
    rules=DrawRules(None, 20, 60),
    black_model="0123456789abcdef",
    limits=Limits(depth=2, seconds=0.5),
    scores=Agreement(1.5, 2.0, 4),
)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    with one, other:
        yield one, other


def test_an_order_and_a_record_arrive_as_they_were_sent(ends: tuple[socket.socket, socket.socket]) -> None:
    record = play(replace(TASK, black_model=None, limits=Limits()))
    order = Order([TASK, TASK], 2.5, 1 << 30, suspect=True)
    one, other = Channel(ends[0], Order), Channel(ends[1], Progress)
    other.send(order)
    one.send(Progress(records=[record]))
    one.send(Progress(done=True))
    assert one.receive() == order
    assert [other.receive(), other.receive()] == [Progress(records=[record]), Progress(done=True)]


@given(st.lists(st.text(max_size=300), min_size=1, max_size=5), st.lists(st.integers(1, 400), min_size=1))
def test_messages_are_received_in_chunks_of_any_size(texts: list[str], sizes: list[int]) -> None:
    one, other = socket.socketpair()
    sent = [Progress([text]) for text in texts]
    whole = b"".join(len(packed).to_bytes(4, "big") + packed for packed in map(messages.encode, sent))

    def send_in_chunks(rest: bytes) -> None:
        for size in [*sizes, len(rest)]:
            other.sendall(rest[:size])
            rest = rest[size:]

    with one, other:
        sender = threading.Thread(target=send_in_chunks, args=(whole,))
        sender.start()
        channel = Channel(one, Progress)
        assert [channel.receive() for _ in sent] == sent
        sender.join()


def test_an_incomplete_message_raises_an_error_after_the_timeout(ends: tuple[socket.socket, socket.socket]) -> None:
    ends[1].sendall((20).to_bytes(4, "big") + b"incomplete")
    with pytest.raises(TimeoutError):
        Channel(ends[0], Answer, timeout=0.05).receive()


@pytest.mark.parametrize(
    "invalid",
    [
        b"babble\n",
        b"\0\0\0\1\xc1",
        b"\0\0\0\0",
        b"\xff" * 8,
        b"\0\0\0\2\x91\xc0",
    ],
    ids=repr,
)
def test_invalid_messages_are_refused(ends: tuple[socket.socket, socket.socket], invalid: bytes) -> None:
    ends[1].sendall(invalid)
    with pytest.raises(INVALID):
        Channel(ends[0], Answer).receive(5.0)


@pytest.mark.parametrize("report", [Report("high"), Report(depth="deep"), Report(1.0, 2, 3, None)])  # type: ignore[arg-type]
def test_a_message_with_a_field_of_a_wrong_type_is_refused(
    ends: tuple[socket.socket, socket.socket], report: Report
) -> None:
    Channel(ends[1], Answer).send(Answer(path=(9, 13), report=report))
    with pytest.raises(INVALID):
        Channel(ends[0], Answer).receive(5.0)


def test_a_message_that_is_too_long_is_refused_before_it_is_read(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "LONGEST", 1000)
    ends[1].send((2000).to_bytes(4, "big"))
    with pytest.raises(ValueError, match="a message of 2"):
        Channel(ends[0], Answer).receive(5.0)


def test_a_closed_channel_raises_an_error_after_the_last_message(ends: tuple[socket.socket, socket.socket]) -> None:
    one, other = Channel(ends[0], Answer), Channel(ends[1], Answer)
    assert one.receive(0.01) is None
    other.send(Answer())
    other.close()
    assert one.receive() == Answer()
    with pytest.raises(ConnectionError):
        one.receive()


def test_send_times_out_if_the_other_end_does_not_read(ends: tuple[socket.socket, socket.socket]) -> None:
    channel = Channel(ends[0], Answer, timeout=0.05)
    with pytest.raises(TimeoutError):
        channel.send(Answer(["x" * (1 << 23)]))


def test_a_message_may_be_longer_than_the_buffer_of_the_socket(ends: tuple[socket.socket, socket.socket]) -> None:
    one, other = Channel(ends[0], Answer), Channel(ends[1], Answer)
    answer = Answer(["x" * (1 << 22)])
    sender = threading.Thread(target=other.send, args=(answer,))
    sender.start()
    assert one.receive() == answer
    sender.join()
