"""Messages between the arena and the processes that play: typed structs in MessagePack, each after its length.

Nothing that a process receives is unpickled.
"""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from arena.checkers.game import DrawRules, Limits, Report, Termination
from arena.checkers.move import Side
from arena.contracts.record import GameRecord
from arena.referee.task import GameTask

if TYPE_CHECKING:
    import socket

LONGEST = 1 << 24
"""Bytes of the longest message that is accepted."""
_LENGTH = 4
"""Bytes of a length."""
_CHUNK = 1 << 18
"""Bytes that are read at a time."""
encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.decode


class Message(msgspec.Struct, tag=True):
    """What passes between two processes."""


class Order(Message):  # to a guard, and from it to the process that plays in shared mode: play these games
    tasks: list[GameTask]
    seconds: float
    """Time after which no other game is begun."""
    move_timeout: float
    memory: int
    """Bytes that a process of players may take."""
    isolated: bool = False
    """Whether each player has a process of its own."""
    suspect: bool = False
    """Whether the guard sends ``Played(final=False)`` before each turn, because an earlier guard was killed."""


class Alive(Message):  # the sender has started, and is not stuck
    pass


class Notice(Message):  # a line for the user
    text: str


class Played(Message):  # the next game has ended, or if it is not final: it ends so if the guard dies in this turn
    record: GameRecord
    final: bool = True


class Failed(Message):  # a guard ends, or does not start
    reason: str
    cause: Literal["task", "threads", "error"]
    """A task that cannot be played; threads that plugins have started, so that forking is not safe; the arena."""


class Done(Message):  # the order, or what an isolated player was asked to do, is done
    pass


class Create(Message):  # to the process of an isolated player: create the player of that side
    task: GameTask
    side: Side
    memory: int


class Call(Message):  # to the process of an isolated player: call that method with that game
    method: Literal["start", "choose"]
    start: tuple[int, int, int, Side]
    """The first board."""
    rules: DrawRules
    limits: Limits
    moves: list[tuple[int, ...]]
    """The paths of all moves."""


class Finish(Message):  # to the process of an isolated player: call ``finish``
    record: GameRecord


class Chosen(Message):  # from the process of an isolated player: the move, and what the player reports about it
    path: tuple[int, ...]
    report: Report


class Faulted(Message):  # from the process of an isolated player: how the player has lost its game
    termination: Termination
    reason: str


FromGuard = Alive | Notice | Played | Failed | Done
ToPlayer = Order | Create | Call | Finish
FromPlayer = Alive | Notice | Played | Done | Chosen | Faulted


class BadMessage(Exception):
    """What was received is not a message of the expected types."""


class Channel:
    """One end of a connection whose other end sends messages of given types."""

    def __init__(self, connection: socket.socket, kinds: Any) -> None:
        """``kinds``: the union of the messages that can be received."""
        self._socket, self._buffer = connection, bytearray()
        self._decoder = msgspec.msgpack.Decoder(kinds)
        self.fileno, self.close, self.shutdown = connection.fileno, connection.close, connection.shutdown

    def send(self, message: Message, timeout: float | None = None) -> None:
        """Send a message; raises OSError if the other end is closed, or does not read it in ``timeout`` seconds."""
        packed = encode(message)
        self._socket.settimeout(timeout)
        self._socket.sendall(len(packed).to_bytes(_LENGTH, "big") + packed)

    def receive(self, timeout: float = inf) -> Any:
        """The next message; None if there is none within ``timeout`` seconds.

        Raises EOFError if the other end is closed, and BadMessage.
        """
        deadline = time.monotonic() + timeout
        while (message := self._next()) is None:
            left = deadline - time.monotonic()
            self._socket.settimeout(None if left == inf else max(left, 0.0))
            try:
                chunk = self._socket.recv(_CHUNK)
            except (TimeoutError, BlockingIOError):
                return None
            except OSError:
                chunk = b""
            if not chunk:
                raise EOFError
            self._buffer += chunk
        return message

    def _next(self) -> Message | None:
        buffer = self._buffer
        end = _LENGTH + int.from_bytes(buffer[:_LENGTH], "big")
        if end > LONGEST and len(buffer) >= _LENGTH:
            raise BadMessage(f"a message of {end} bytes")
        if len(buffer) < end:
            return None
        packed = bytes(buffer[_LENGTH:end])
        del buffer[:end]
        try:
            message: Message = self._decoder.decode(packed)
        except (msgspec.MsgspecError, ValueError) as error:
            raise BadMessage(str(error)) from None
        return message
