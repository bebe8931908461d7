"""Statistics of endgame tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 1 << 20
"""Number of positions that are counted at a time. NumPy needs eight bytes for each."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of positions by their value for the side to move."""

    positions: int
    wins: int
    draws: int
    losses: int
    longest_win: int
    """Maximum number of plies of a win; 0 if there is no win."""
    longest_wins: int
    """Number of positions with a win of that length."""
    longest_loss: int
    """Maximum number of plies of a loss; 0 if there is no loss, or only losses without a legal move."""

    @classmethod
    def of(cls, *parts: NDArray[np.uint8]) -> Self:
        """Return the statistics of tables, given as the bytes of :mod:`arena.search.tablebase.probing`."""
        counts = np.zeros(256, dtype=np.int64)
        for part in parts:
            for start in range(0, len(part), _CHUNK):
                counts += np.bincount(part[start : start + _CHUNK], minlength=256)
        losses, wins = counts[1::2], counts[2::2]  # by plies: 0, 2, 4, ... and 1, 3, 5, ...
        longest_win = int(np.flatnonzero(wins).max(initial=-1))
        return cls(
            positions=int(counts.sum()),
            wins=int(wins.sum()),
            draws=int(counts[0]),
            losses=int(losses.sum()),
            longest_win=max(2 * longest_win + 1, 0),
            longest_wins=int(wins[longest_win]) if longest_win >= 0 else 0,
            longest_loss=2 * int(np.flatnonzero(losses).max(initial=0)),
        )
