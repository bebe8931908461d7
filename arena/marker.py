"""Whose code runs, and the moves of the game so far: what has to survive the process that plays it.

Everything is in the words, of 8 bytes, of one piece of memory. The turn is 4 x number + side in one aligned word, which
is never read half-written; the moves are for when the writer is dead.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, NamedTuple

from arena.checkers.move import SIDES, Side

if TYPE_CHECKING:
    import mmap

WORDS = 1 << 14
"""In all. The codes of moves that exceed them, in games of more than 16,000 plies, are left out."""
TURN, SEED, STARTED, PLIES, CODES = range(5)
"""The first words, and where the codes begin that :mod:`arena.checkers.bitboard` gives to the moves."""
LATEST = 2.0**35
"""Seconds since the epoch; no game starts so late."""
NOBODY = 2
"""In the place of a side."""
NUMBERS = 2**62 - 4
"""The bits of a turn's number in its word; after the last number comes the first again."""


class Turn(NamedTuple):
    """One stretch of running code."""

    number: int
    """Rises with every turn."""
    side: Side | None
    """Whose code it is; None: no player's."""


class TurnMarker:
    """Is told whose code is about to run.

    A side keeps the turn until the next one is named: while the referee looks at what a player did, what
    happens is still that player's doing. A move that is entered in a :class:`~arena.ledger.Ledger` ends the turn of
    the side that made it, where it is a side's turn.
    """

    address: int
    """Of the first word."""

    def __init__(self) -> None:
        self._map(bytearray(8 * WORDS))
        self.turn(None)

    def begin(self, seed: int, started: float) -> None:
        """The game of that seed begins at ``started`` (seconds since the epoch); it is nobody's turn yet."""
        self.turn(None)
        self._words[PLIES] = 0
        self._words[SEED] = seed
        self._times[STARTED] = started

    def turn(self, side: Side | None) -> None:
        """Code of ``side`` runs next; None: that of no player."""
        self._words[TURN] = (self._words[TURN] >> 2) + 1 << 2 & NUMBERS | (NOBODY if side is None else side)

    @property
    def now(self) -> Turn:
        """The turn that runs."""
        number, side = divmod(self._words[TURN], 4)
        return Turn(number, SIDES[side] if side < NOBODY else None)

    @property
    def seed(self) -> int:
        """The seed of the game that runs or ran last; 0 before the first."""
        return self._words[SEED]

    @property
    def started(self) -> float:
        """When that game started, in seconds since the epoch; 0 where that has been spoilt."""
        started = self._times[STARTED]
        return started if 0 <= started < LATEST else 0.0

    @property
    def codes(self) -> list[int]:
        """The codes of its moves, the opening's included; a player that writes anywhere can have spoilt them."""
        plies = min(max(self._words[PLIES], 0), WORDS - CODES)
        return self._words[CODES : CODES + plies].tolist()

    def forget(self) -> None:
        """Go on in a copy, which nobody else sees."""
        memory = bytearray(self._words)
        self._let_go()
        self._map(memory)

    def _map(self, memory: mmap.mmap | bytearray) -> None:
        self._words = memoryview(memory).cast("q")
        self._times = memoryview(memory).cast("d")
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(memory))

    def _let_go(self) -> None:
        self._words.release()
        self._times.release()
