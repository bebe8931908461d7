"""Solving all positions of a number of pieces, on all processors."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import TYPE_CHECKING

import numpy as np

from arena.search.tablebase.indexing import subsets
from arena.search.tablebase.slices import groups
from arena.search.tablebase.solving import prepare, settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.search.tablebase.slices import Group

_CHUNK = 1 << 18
"""Positions of one compiled call, for whose end Ctrl-C waits."""


def solve(pieces: int, values: np.ndarray, context: int, threads: int, progress: Callable[[int], object]) -> None:
    """Fill ``values``: uint8, the bytes of all slices of ``pieces`` pieces in the order of the file.

    ``context`` is the address of a context that holds all slices of fewer pieces and these. ``progress``
    hears, one call at a time, how many positions more are dealt with: each is counted twice.
    """
    stop, lock = Event(), Lock()

    def tell(more: int) -> None:
        if stop.is_set():
            raise _Stopped
        with lock:
            progress(more)

    start = 0
    with ThreadPoolExecutor(threads) as pool:
        try:
            for level in groups(pieces):
                running = []
                for group in level:
                    end = start + sum(each.size for each in group)
                    running.append(pool.submit(_solve_group, group, values[start:end], context, tell))
                    start = end
                for future in running:
                    future.result()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _solve_group(group: Group, values: np.ndarray, context: int, tell: Callable[[int], None]) -> None:
    table = subsets()
    open_moves = np.empty(len(values), dtype=np.uint8)
    offsets = [0, group[0].size][: len(group)]
    parts = [
        (each, offset, mirror, first, min(first + _CHUNK, each.size))
        for each, offset, mirror in zip(group, offsets, reversed(offsets), strict=True)
        for first in range(0, each.size, _CHUNK)
    ]
    highest = 0
    for each, offset, _, first, last in parts:
        highest = max(highest, prepare(values, open_moves, offset, first, last, *each, table, context))
        tell(last - first)
    stored, settled = 1, 0
    while stored <= highest:
        for each, offset, mirror, first, last in parts:
            found, reached = settle(stored, values, open_moves, offset, mirror, first, last, *each, table, context)
            highest = max(highest, reached)
            settled += found
            tell(found)
        stored += 1
    tell(len(values) - settled)


class _Stopped(Exception):
    """Nobody waits for the tables any more."""
