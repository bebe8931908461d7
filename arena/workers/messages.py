"""Messages between the arena, guards and player processes: typed structs in MessagePack, each preceded by its length.

No message is unpickled. :mod:`arena.workers` describes which process sends which message.
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
"""Maximum length of a message, in bytes."""
_LENGTH = 4
"""Size of the length before each message, in bytes."""
_CHUNK = 1 << 18
"""Maximum number of bytes that one call reads."""
encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.decode


class Message(msgspec.Struct, tag=True):
    """Base class of all messages."""


class Order(Message):
    """From the arena to a guard, and from a guard to a player process in shared mode: play these games."""

    tasks: list[GameTask]
    seconds: float
    """Time after which no further game starts."""
    move_timeout: float
    memory: int
    """Memory limit of each player process, in bytes."""
    isolated: bool = False
    """Whether each player has a process of its own."""
    suspect: bool = False
    """Whether an earlier guard died in this game. The guard then sends ``Played(final=False)`` before each turn."""


class Alive(Message):
    """From a guard to the arena, or from a player process to its guard: the process has started or still works."""


class Notice(Message):
    """From any process to the arena: a line for the user."""

    text: str


class Played(Message):
    """The record of the next game, from a player process in shared mode, or from a guard."""

    record: GameRecord
    final: bool = True
    """False for the record that counts if the guard dies during the current turn."""


class Failed(Message):
    """To the arena: a guard ends before its order is done, or cannot start."""

    reason: str
    cause: Literal["task", "threads", "error"]
    """``task``: a task cannot be played. ``threads``: threads in the fork server prevent forking. ``error``: other."""


class Done(Message):
    """The order, or the request to an isolated player, is done."""


class Create(Message):
    """To the process of an isolated player: create the player of this side."""

    task: GameTask
    side: Side
    memory: int


class Call(Message):
    """To the process of an isolated player: call this method with a game, described by the other fields."""

    method: Literal["start", "choose"]
    start: tuple[int, int, int, Side]
    """The first board."""
    rules: DrawRules
    limits: Limits
    moves: list[tuple[int, ...]]
    """The paths of all moves."""


class Finish(Message):
    """To the process of an isolated player: call ``finish``."""

    record: GameRecord


class Chosen(Message):
    """From the process of an isolated player: the move, and the player's report about it."""

    path: tuple[int, ...]
    report: Report


class Faulted(Message):
    """From the process of an isolated player: the player forfeits."""

    termination: Termination
    reason: str


FromGuard = Alive | Notice | Played | Failed | Done
ToPlayer = Order | Create | Call | Finish
FromPlayer = Alive | Notice | Played | Done | Chosen | Faulted


class BadMessage(Exception):
    """The received bytes are not a message of the expected types."""


class Channel:
    """One end of a connection that carries messages."""

    def __init__(self, connection: socket.socket, received: Any) -> None:
        """``received``: union of the types of messages that the other end may send; None if it sends none."""
        self._socket, self._buffer = connection, bytearray()
        self._decoder = msgspec.msgpack.Decoder(received)
        self.fileno, self.close, self.shutdown = connection.fileno, connection.close, connection.shutdown

    def send(self, message: Message, timeout: float | None = None) -> None:
        """Send a message. Raises OSError if the other end is closed, or does not read within ``timeout`` seconds."""
        packed = encode(message)
        self._socket.settimeout(timeout)
        self._socket.sendall(len(packed).to_bytes(_LENGTH, "big") + packed)

    def receive(self, timeout: float = inf) -> Any:
        """Return the next message, or None if none arrives within ``timeout`` seconds.

        Raises EOFError if the other end is closed, and BadMessage if the bytes are not a valid message.
        """
        deadline = time.monotonic() + timeout
        while (message := self._next()) is None:
            seconds = deadline - time.monotonic()
            self._socket.settimeout(None if seconds == inf else max(seconds, 0.0))
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
        """Return the first message in the buffer, or None if it is not complete."""
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
