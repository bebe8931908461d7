"""Builds endgame tables: solves groups of slices in parallel threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import TYPE_CHECKING

import numpy as np

from arena.search.tablebase.indexing import subsets
from arena.search.tablebase.slices import positions
from arena.search.tablebase.solving import prepare, settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from arena.search.tablebase.slices import Group

_CHUNK = 1 << 18
"""Number of positions of one compiled call. Ctrl-C takes effect between the calls."""
_HIGHEST = 255
"""Maximum value of a byte. The longest game with six pieces has 167 plies, which needs the byte 168."""


def solve(
    levels: Iterable[list[Group]],
    context: int,
    keep: Callable[[Group, np.ndarray], object],
    threads: int,
    progress: Callable[[int], object],
) -> None:
    """Solve all groups; the groups of one level are solved in parallel.

    ``context`` is the address of a context. ``keep`` is called with each solved group and the bytes (uint8) of its
    positions, in any thread. It must add them to the context, because later levels look up the positions after their
    captures and crownings there. ``progress`` is called, by one thread at a time, with the number of positions that
    were processed since its last call; each position is processed twice.
    """
    stop, lock = Event(), Lock()

    def tell(more: int) -> None:
        if stop.is_set():
            raise _Stopped
        with lock:
            progress(more)

    def finish(group: Group) -> None:
        keep(group, _solved(group, context, tell))

    with ThreadPoolExecutor(threads) as pool:
        try:
            for level in levels:
                for _ in pool.map(finish, level):
                    pass
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)


def _solved(group: Group, context: int, tell: Callable[[int], None]) -> np.ndarray:
    table = subsets()
    values = np.zeros(positions(group), dtype=np.uint8)
    open_moves = np.empty_like(values)
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
        if highest > _HIGHEST:
            raise OverflowError(f"a game of the slice {group[0]} is too long for tables of one byte a position")
        for each, offset, mirror, first, last in parts:
            found, reached = settle(stored, values, open_moves, offset, mirror, first, last, *each, table, context)
            highest = max(highest, reached)
            settled += found
            tell(found)
        stored += 1
    tell(len(values) - settled)
    return values


class _Stopped(Exception):
    """The build was stopped."""
