"""Messages between the arena, guards and player processes: typed structs in MessagePack, each preceded by its length.

No message is unpickled. :mod:`arena.workers` describes which process sends which message.
"""

from __future__ import annotations

import time
from math import inf
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
_CHUNK = 1 << 18
"""Maximum number of bytes that one call reads."""
INVALID = (msgspec.MsgspecError, ValueError)
"""The errors that :meth:`Channel.receive` raises if the bytes are not a message of the expected type."""
encode, decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.decode


class Order(msgspec.Struct):
    """From the arena to a guard: play these games."""

    tasks: list[GameTask]
    move_timeout: float
    memory: int
    """Memory limit of each player process, in bytes."""
    isolated: bool = False
    """Whether each player has a process of its own."""
    suspect: bool = False
    """Whether an earlier guard died in this game. The guard then sends a provisional record before each turn."""


class Progress(msgspec.Struct):
    """From a guard to the arena, several times a second: what has happened since the last message."""

    records: list[GameRecord] = []
    """Records of the next games."""
    provisional: GameRecord | None = None
    """Record of the current game that counts if the guard dies during the current turn."""
    lines: list[str] = []
    """Lines for the user."""
    error: str | None = None
    """Why a task cannot be played."""
    done: bool = False
    """Whether the guard plays no further game of the order."""


class Request(msgspec.Struct, tag=True):
    """Base class of the requests to a player process. Except for ``Play``, each has one answer."""

    memory: int
    """Memory limit of the process, in bytes."""


class Play(Request):
    """Play these games in shared mode. The answers contain their records in the same sequence."""

    tasks: list[GameTask]


class Create(Request):
    """Create the isolated player of this side."""

    task: GameTask
    side: Side
    by_ply: bool = False
    """Whether the random numbers of each call follow from the seed and the ply; else they go on from call to call."""


class Call(Request):
    """Call this method of the isolated player with a game, described by the other fields."""

    method: Literal["start", "choose"]
    start: Board
    """The first board."""
    rules: DrawRules
    limits: Limits
    moves: list[tuple[int, ...]]
    """The paths of all moves."""


class Finish(Request):
    """Call ``finish`` of the isolated player."""

    record: GameRecord


class Answer(msgspec.Struct):
    """From a player process: it has started, has done what was requested, or is still playing."""

    record: GameRecord | None = None
    """Record of the next game in shared mode."""
    path: tuple[int, ...] = ()
    """Path of the chosen move."""
    report: Report = NO_REPORT
    """The player's report about its choice."""
    fault: tuple[Termination, str] | None = None
    """Termination and reason, if a player forfeits."""
    uncached: list[str] = []
    """Names of the functions that Numba has compiled without a cache since the last answer."""


class Channel:
    """One end of a connection that carries messages."""

    def __init__(self, connection: socket.socket, received: Any) -> None:
        """``received``: type of the messages that the other end may send; None if it sends none."""
        self._socket, self._buffer = connection, bytearray()
        self._decoder = msgspec.msgpack.Decoder(received)
        self.fileno, self.close = connection.fileno, connection.close

    def send(self, message: msgspec.Struct, timeout: float | None = None) -> None:
        """Send a message. Raises OSError if the other end is closed, or does not read within ``timeout`` seconds."""
        packed = encode(message)
        self._socket.settimeout(timeout)
        self._socket.sendall(len(packed).to_bytes(_LENGTH, "big") + packed)

    def receive(self, timeout: float = inf) -> Any:
        """Return the next message, or None if none arrives within ``timeout`` seconds.

        Raises EOFError if the other end is closed, and one of :data:`INVALID` if the bytes are not a valid message.
        """
        deadline, buffer = time.monotonic() + timeout, self._buffer
        while len(buffer) < (end := _LENGTH + int.from_bytes(buffer[:_LENGTH], "big")):
            if end > LONGEST and len(buffer) >= _LENGTH:
                raise ValueError(f"a message of {end} bytes")
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
            buffer += chunk
        packed = bytes(buffer[_LENGTH:end])
        del buffer[:end]
        return self._decoder.decode(packed)
