"""How fast the games of a tournament end, and so how many each worker should be given ahead.

A process that is woken for every game finds its memory far from the processor each time, and does the same work in
twice the time. So the arena rests while workers have enough to do, and then hears of several games at once.
"""

from __future__ import annotations

import time
from math import inf

REST = 0.05
"""Seconds that the arena rests at most."""
LONGEST_QUEUE = 16
"""Tasks that a worker holds at most: more might fill its channel, and block the arena."""


class Pace:
    """How fast games end, and so how many tasks a worker should hold."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._games = 0
        self._began = 0.0

    def count(self) -> None:
        """A game has ended."""
        self._games += 1
        if self._games == 1:
            self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """Seconds that a game takes a worker, by all that have ended but the first; infinite where there are none."""
        games = self._games - 1
        return self._workers * (time.monotonic() - self._began) / games if games > 0 else inf

    @property
    def ahead(self) -> int:
        """Tasks that a worker holds: enough for two rests, and at least two."""
        return 2 + min(int(2 * REST / self.seconds), LONGEST_QUEUE - 2) if self.seconds else LONGEST_QUEUE

    def rest(self, tasks: int) -> float:
        """Seconds to sleep while each worker has so many tasks or more: half of what the waiting ones take."""
        waiting = tasks - 1
        return min(REST, waiting * self.seconds / 2) if waiting > 1 else 0.0
