"""How two things are compared: in turns, in one process, by processor time.

Machines are noisy and their clocks change. So each repetition measures one and then the other, and what counts is
the median of the ratios, not the ratio of two rates taken at different times.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles

Work = Callable[[], int]
"""Does a piece of work and returns how much it was."""


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    what: str
    unit: str
    ours: float
    """Units a second."""
    other: str = ""
    theirs: float = 0.0
    ratio: tuple[float, float, float] | None = None
    """First quartile, median, third quartile of ours / theirs."""
    reach: float | None = None
    """The ratio to reach."""
    note: str = ""


def rate(work: Work) -> float:
    """Units a second of processor time."""
    began = time.process_time()
    done = work()
    return done / (time.process_time() - began)


def alone(what: str, unit: str, ours: Work, repetitions: int = 5, note: str = "") -> Row:
    """A row without anything to compare with."""
    ours()
    return Row(what, unit, median(rate(ours) for _ in range(repetitions)), note=note)


@contextmanager
def every_processor() -> Iterator[None]:
    """For what runs processes of its own: not one core alone."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    pinned = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        yield
    finally:
        os.sched_setaffinity(0, pinned)


def compare(
    what: str,
    unit: str,
    ours: Work,
    other: str,
    theirs: Work,
    reach: float | None = None,
    repetitions: int = 11,
    note: str = "",
) -> Row:
    """Both by turns, after one run of each that does not count."""
    ours(), theirs()
    rates = [(rate(ours), rate(theirs)) for _ in range(repetitions)]
    low, middle, high = quantiles([a / b for a, b in rates], n=4)
    mine, its = (median(column) for column in zip(*rates, strict=True))
    return Row(what, unit, mine, other, its, (low, middle, high), reach, note)
