"""How well players play where the endgame tables know the value of the position.

A move keeps the value of a position if the position after it has the same value for the player: won, drawn or lost.
Lost positions do not count, because every move keeps them lost.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sqlalchemy import select

from arena.checkers.bits import rotate
from arena.kernels.compiled import kernel
from arena.search.tablebase.probing import DRAW, NOT_IN_TABLES, probe
from arena.statistics.intervals import wilson
from arena.store.schema import collected_games, games, players

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection, Select

    from arena.search.tablebase import Tablebase

    Masks = np.ndarray[Any, np.dtype[np.int64]]
    Query = Select[*tuple[Any, ...]]

_ROWS = 2000
"""Games that are read at a time."""


class Accuracy(NamedTuple):
    """One row of :meth:`arena.Results.accuracy`."""

    player: str
    pieces: int
    value: str
    positions: int
    kept: int
    kept_pct: float
    kept_low: float
    kept_high: float


def of_tournament(connection: Connection, tournament_id: int | None, tables: Tablebase) -> list[Accuracy]:
    """The accuracy of the players of one tournament, or of all."""
    black, white = players.alias(), players.alias()
    query: Query = (
        select(black.c.spec.label("black"), white.c.spec.label("white"), games.c.first, games.c.boards)
        .join(black, black.c.id == games.c.black_id)
        .join(white, white.c.id == games.c.white_id)
    )
    if tournament_id is not None:
        query = query.where(games.c.tournament_id == tournament_id)
    return _accuracy(_batches(connection, query), tables)


def of_collection(connection: Connection, collection_id: int, tables: Tablebase) -> list[Accuracy]:
    """The accuracy of the players of a collection of imported games, by the tags Black and White."""
    columns = collected_games.c
    query: Query = select(columns.black, columns.white, columns.fen, columns.boards)
    rows = _batches(connection, query.where(columns.collection_id == collection_id))
    return _accuracy(
        (
            [
                (black or "?", white or "?", "white" if fen[:1] == "W" else "black", boards)
                for black, white, fen, boards in batch
            ]
            for batch in rows
        ),
        tables,
    )


def _batches(connection: Connection, query: Query) -> Iterator[list[Any]]:
    result = connection.execution_options(yield_per=_ROWS).execute(query)
    for batch in result.partitions():
        yield [tuple(row) for row in batch]


def _accuracy(batches: Iterable[list[tuple[str, str, str, bytes]]], tables: Tablebase) -> list[Accuracy]:
    """Count positions and kept values by player, pieces and value."""
    positions: Counter[tuple[str, int, str]] = Counter()
    kept: Counter[tuple[str, int, str]] = Counter()
    for batch in batches:
        names = list(dict.fromkeys(name for row in batch for name in row[:2]))
        index = {name: number for number, name in enumerate(names)}
        lengths = np.array([len(row[3]) // 12 for row in batch])
        masks = np.frombuffer(b"".join(row[3] for row in batch), "<u4").reshape(-1, 3).astype(np.int64)
        ply = np.arange(len(masks)) - np.repeat(lengths.cumsum() - lengths, lengths)
        white_moves = (np.repeat([row[2] == "white" for row in batch], lengths) + ply) % 2
        last = ply + 1 == np.repeat(lengths, lengths)
        count = np.bitwise_count(masks[:, 0] | masks[:, 1])
        places = np.flatnonzero(~last & (count <= tables.pieces))
        before, after = (np.empty(len(places), dtype=np.int64) for _ in range(2))
        _values(masks, white_moves, places, tables.context.ctypes.data, before, after)
        known = (before != NOT_IN_TABLES) & (after != NOT_IN_TABLES) & (before >= DRAW)
        same = np.sign(before) == -np.sign(after)
        movers = np.repeat([[index[row[0]], index[row[1]]] for row in batch], lengths, axis=0)[
            places, white_moves[places]
        ]
        keys = np.stack([movers, count[places], before > DRAW], axis=1)[known]
        for chosen, counter in ((keys, positions), (keys[same[known]], kept)):
            unique, numbers = np.unique(chosen, axis=0, return_counts=True)
            for (player, pieces, won), number in zip(unique.tolist(), numbers.tolist(), strict=True):
                counter[names[player], pieces, "win" if won else "draw"] += number
    return [_row(*key, positions[key], kept[key]) for key in sorted(positions)]


def _row(player: str, pieces: int, value: str, positions: int, kept: int) -> Accuracy:
    low, high = wilson(kept, positions)
    return Accuracy(player, pieces, value, positions, kept, 100 * kept / positions, 100 * low, 100 * high)


@kernel
def _values(masks: Masks, white_moves: Masks, places: Masks, context: int, before: Masks, after: Masks) -> None:
    """The tables' values at ``places`` and at the next ones, each for the side to move there."""
    for i in range(len(places)):
        for step in range(2):
            place = places[i] + step
            black, white, kings = masks[place, 0], masks[place, 1], masks[place, 2]
            if (white_moves[places[i]] + step) % 2 == 0:
                value = probe(black, white, kings, context)
            else:
                value = probe(rotate(white), rotate(black), rotate(kings), context)
            if step == 0:
                before[i] = value
            else:
                after[i] = value
