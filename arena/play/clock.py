"""The clock of a game: it measures the time of both sides, and can limit it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from arena.checkers.move import Side

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Clock:
    """Measures turns. Times are in seconds.

    The side that :meth:`start` names uses its time until :meth:`stop`. Between the two calls of different turns, no
    time passes for either side.
    """

    def __init__(
        self,
        left: Sequence[float] | None,
        increment: float = 0.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``left``: time left of Black and of White; None: no limit.

        ``increment``: time that a side gains with each move. ``now`` returns the current time.
        """
        self._left = None if left is None else list(left)
        self._increment = increment
        self._now = now
        self._side: Side | None = None
        self._since = 0.0

    def start(self, side: Side) -> None:
        """Begin to measure the turn of ``side``; without effect if it is measured already."""
        if self._side is not side:
            self._side, self._since = side, self._now()

    def stop(self, *, moved: bool = True) -> float:
        """End the measurement and return the time of the turn, 0 if none was measured.

        ``moved``: whether the side has moved. It then gains the increment, if it has time left.
        """
        side, used = self._side, self.used
        self._side = None
        if side is not None and self._left is not None:
            self._left[side] -= used
            if moved and self._left[side] >= 0:
                self._left[side] += self._increment
        return used

    @property
    def used(self) -> float:
        """Time of the present turn up to now."""
        return 0.0 if self._side is None else self._now() - self._since

    def left(self, side: Side) -> float | None:
        """Return the time left of ``side``, negative if it has used too much; None: no limit."""
        if self._left is None:
            return None
        return self._left[side] - (self.used if side is self._side else 0.0)

    @property
    def all_left(self) -> list[float] | None:
        """Time left of Black and of White; None: no limit."""
        if self._left is None:
            return None
        return [self._left[side] - (self.used if side is self._side else 0.0) for side in Side]
