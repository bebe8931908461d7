"""What survives the death of a worker: whose turn it was, and the moves of the game so far."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, NamedTuple

from arena.checkers.move import SIDES, Side
from arena.match import TurnMarker

if TYPE_CHECKING:
    from pathlib import Path

    from arena.checkers.move import Move

_SIZE = 1 << 17
_TURN, _SEED, _STARTED, _LENGTH = range(4)
"""Numbers of the 8-byte words at the beginning; the moves follow as text, a blank after each."""
_TEXT = 32
_NOBODY = 2


class Turn(NamedTuple):
    """One stretch of running code."""

    number: int
    """Rises with every turn."""
    side: Side | None
    """Whose code it is; None: no player's."""


class SharedMarker(TurnMarker):
    """A turn marker in a small file that two processes map into memory.

    The worker writes, the arena reads. The turn is one aligned word, 4 x number + side, never read
    half-written; the moves are read when the writer is dead. What exceeds 128 kB, in games of more than
    18,000 plies, is left out.
    """

    def __init__(self, path: Path) -> None:
        """Maps the file at ``path``, and makes it first where there is none."""
        if not path.exists():
            path.write_bytes(bytes(_SIZE))
        with path.open("r+b") as file:
            self._file = mmap.mmap(file.fileno(), _SIZE)
        self._map(self._file)
        self._count = 0
        self._end = _TEXT
        self.turn(None)

    def close(self) -> None:
        """Unmap the file."""
        self.forget()
        self._file.close()

    def forget(self) -> None:
        """Write to private memory from now on."""
        for view in (self._words, self._times, self._bytes):
            view.release()
        self._map(bytearray(_SIZE))

    def begin(self, seed: int, started: float) -> None:
        self.turn(None)
        self._words[_LENGTH] = 0
        self._end = _TEXT
        self._words[_SEED] = seed
        self._times[_STARTED] = started

    def turn(self, side: Side | None) -> None:
        self._count += 1
        self._words[_TURN] = 4 * self._count + (_NOBODY if side is None else side)

    def played(self, move: Move) -> None:
        start = self._end
        self._end = end = start + len(move._trace)
        if end <= _SIZE:
            self._bytes[start:end] = move._trace
            self._words[_LENGTH] = end - _TEXT

    @property
    def now(self) -> Turn:
        """The turn that runs."""
        number, side = divmod(self._words[_TURN], 4)
        return Turn(number, None if side == _NOBODY else SIDES[side])

    @property
    def seed(self) -> int:
        """The seed of the game that runs or ran last; 0 before the first."""
        return self._words[_SEED]

    @property
    def started(self) -> float:
        """When that game started, in seconds since the epoch."""
        return self._times[_STARTED]

    @property
    def moves(self) -> list[str]:
        """The moves of that game."""
        return bytes(self._bytes[_TEXT : _TEXT + self._words[_LENGTH]]).decode().split()

    def _map(self, memory: mmap.mmap | bytearray) -> None:
        self._bytes = memoryview(memory)
        self._words = self._bytes.cast("Q")
        self._times = self._bytes.cast("d")
