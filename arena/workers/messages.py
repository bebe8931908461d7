"""Messages between the arena, guards and player processes: typed structs in MessagePack, each preceded by its length.

No message is unpickled. :mod:`arena.workers` describes which process sends which message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from arena.checkers.board import Board
from arena.checkers.game import NO_REPORT, DrawRules, Limits, Report, Termination
from arena.checkers.move import Side
from arena.contracts.record import GameRecord
from arena.referee.task import GameTask

if TYPE_CHECKING:
    import socket

LONGEST = 1 << 24
"""Maximum length of a message, in bytes."""
_LENGTH = 4
"""Size of the length before each message, in bytes."""
INVALID = (msgspec.MsgspecError, ValueError)
"""The errors that :meth:`Channel.receive` raises if the bytes are not a message of the expected type."""
encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.decode


class Order(msgspec.Struct, tag=True):
    """Play these games. From the arena to a guard, and from a guard to a player process in shared mode."""

    tasks: list[GameTask]
    move_timeout: float
    memory: int
    """Memory limit of each player process, in bytes."""
    isolated: bool = False
    """Whether each player has a process of its own."""
    suspect: bool = False
    """Whether an earlier guard died in this game. The guard then sends a provisional record before each turn."""


class Create(msgspec.Struct, tag=True):
    """From a guard to a player process: create the isolated player of this side."""

    task: GameTask
    side: Side
    memory: int
    """Memory limit of the process, in bytes."""
    by_ply: bool = False
    """Whether the random numbers of each call follow from the seed and the ply; else they go on from call to call."""


class Call(msgspec.Struct, tag=True):
    """Call this method of the isolated player with a game, described by the other fields."""

    method: Literal["start", "choose"]
    start: Board
    """The first board."""
    rules: DrawRules
    limits: Limits
    moves: list[tuple[int, ...]]
    """The paths of all moves."""


class Finish(msgspec.Struct, tag=True):
    """Call ``finish`` of the isolated player."""

    record: GameRecord


Request = Create | Call | Finish
"""A request to the process of an isolated player. Each has one answer."""


class Answer(msgspec.Struct):
    """From a player process: it has started, or has done what was requested."""

    lines: list[str] = []
    """Lines for the user."""
    path: tuple[int, ...] = ()
    """Path of the chosen move."""
    report: Report = NO_REPORT
    """The player's report about its choice."""
    fault: tuple[Termination, str] | None = None
    """Termination and reason, if the isolated player forfeits."""


class Progress(msgspec.Struct):
    """From a guard to the arena, and in shared mode from a player process to its guard: the news of an order."""

    lines: list[str] = []
    """Lines for the user."""
    records: list[GameRecord] = []
    """Records of the next games."""
    provisional: GameRecord | None = None
    """Record of the current game that counts if the guard dies during the current turn."""
    error: str | None = None
    """Why a task cannot be played."""
    done: bool = False
    """Whether the guard plays no further game of the order."""


class Channel:
    """One end of a connection that carries messages. Its methods raise OSError if the other end is closed."""

    def __init__(self, connection: socket.socket, received: Any, timeout: float | None = None) -> None:
        """``received``: type of the messages that the other end may send; None if it sends none.

        ``timeout``: seconds that the other end may pause within a message; None for no limit.
        """
        self._socket, self._timeout = connection, timeout
        self._decode = msgspec.msgpack.Decoder(received).decode
        self.fileno, self.close = connection.fileno, connection.close

    def send(self, message: msgspec.Struct) -> None:
        packed = encode(message)
        self._socket.settimeout(self._timeout)
        self._socket.sendall(len(packed).to_bytes(_LENGTH, "big") + packed)

    def receive(self, timeout: float | None = None) -> Any:
        """Return the next message, or None if none begins within ``timeout`` seconds (None for no limit).

        Raises one of :data:`INVALID` if the bytes are not a valid message.
        """
        try:
            length = int.from_bytes(self._read(_LENGTH, timeout), "big")
        except (TimeoutError, BlockingIOError):
            return None
        if length > LONGEST:
            raise ValueError(f"a message of {length} bytes")
        return self._decode(self._read(length, self._timeout))

    def _read(self, size: int, timeout: float | None) -> bytearray:
        data = bytearray()
        self._socket.settimeout(timeout)
        while len(data) < size:
            chunk = self._socket.recv(size - len(data))
            if not chunk:
                raise ConnectionResetError
            data += chunk
        return data
