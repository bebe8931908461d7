"""Comparing two programs by processor time, alternately and in one process.

Machines are noisy and their clock rates change. Each repetition therefore measures one program right after the other,
and the result is the median of the ratios, not the ratio of two rates measured at different times.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles

Work = Callable[[], int]
"""A function that does some work and returns the amount of work in units."""


@dataclass(frozen=True)
class Row:
    """A row of the table."""

    name: str
    unit: str
    ours: float
    """Units per second of this project."""
    other: str = ""
    """Name of the other program; empty: there is no comparison."""
    theirs: float = 0.0
    """Units per second of the other program."""
    ratio: tuple[float, float, float] | None = None
    """First quartile, median and third quartile of ours / theirs."""
    target: float | None = None
    """Lower bound for the median ratio; None: no target."""
    note: str = ""


def rate(work: Work) -> float:
    """Do the work and return units per second of processor time."""
    start = time.process_time()
    amount = work()
    return amount / (time.process_time() - start)


def alone(name: str, unit: str, ours: Work, repetitions: int = 5, note: str = "") -> Row:
    """Measure a row without a comparison: the median rate, after one run that does not count."""
    ours()
    return Row(name, unit, median(rate(ours) for _ in range(repetitions)), note=note)


@contextmanager
def every_processor() -> Iterator[None]:
    """Allow this process and its children to use all processors during the block."""
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
    name: str,
    unit: str,
    ours: Work,
    other: str,
    theirs: Work,
    target: float | None = None,
    repetitions: int = 11,
    note: str = "",
) -> Row:
    """Measure two programs alternately, after one run of each that does not count."""
    ours(), theirs()
    rates = [(rate(ours), rate(theirs)) for _ in range(repetitions)]
    low, middle, high = quantiles([a / b for a, b in rates], n=4)
    our_rate, their_rate = (median(column) for column in zip(*rates, strict=True))
    return Row(name, unit, our_rate, other, their_rate, (low, middle, high), target, note)
