"""How fast the games of a tournament end, and so how many each worker should be given ahead.

Who is woken for every game finds its memory far from the processor each time, does the same work in twice the time, and
takes a processor from a worker that it had to itself. So the arena lets records gather while a worker has enough to do.
"""

from __future__ import annotations

import time
from collections import deque
from math import inf

REST = 0.2
"""Seconds that records may gather."""
FEWEST, MOST = 2, 64
"""Tasks that a worker holds: so many that it never idles, and no more than lets records gather."""


class Pace:
    """How fast games end, and so how many tasks a worker should hold."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._ends: deque[float] = deque(maxlen=MOST * workers + 1)

    def count(self) -> None:
        """A game has ended."""
        self._ends.append(time.monotonic())

    @property
    def seconds(self) -> float:
        """Seconds that a game takes a worker, by those that have ended lately; infinite where there are none."""
        games = len(self._ends) - 1
        return self._workers * (time.monotonic() - self._ends[0]) / games if games > 0 else inf

    @property
    def ahead(self) -> int:
        """Tasks that a worker should hold: enough for two rests."""
        return min(FEWEST + int(2 * REST / self.seconds), MOST) if self.seconds else MOST

    def rest(self, tasks: int) -> float:
        """Seconds to let the records of a worker with so many tasks gather: half of what the waiting ones take."""
        waiting = tasks - 1
        return min(REST, waiting * self.seconds / 2) if waiting > 1 else 0.0
