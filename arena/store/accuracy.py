"""Counts how well players move, by pieces on the board.

Two measures are taken of the moves that a player chose; the moves of openings are not among them.

- A move *keeps* the exact value of a position if the endgame tables know both positions, and the one after the move has
  the same value for the player: won or drawn. Lost positions do not count, because every move keeps them lost.
- The *loss* of a move is measured by searches (:mod:`arena.search.loss`), of a sample of the moves if there are many.

The sample holds the moves with the smallest random numbers, which follow from a seed, the id of the game and the ply.
So it does not depend on the order of the games, and memory does not grow with their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from arena.checkers.bits import popcount, rotate
from arena.checkers.board import Board
from arena.checkers.move import SIDES
from arena.checkers.splitmix64 import mixed, stream
from arena.contracts.columns import SECONDS
from arena.kernels.compiled import kernel
from arena.search.tablebase.probing import DRAW, NOT_IN_TABLES, probe
from arena.store.schema import collected_games, games, players

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection, Select

    from arena.search.tablebase import Tablebase

    Array = np.ndarray[Any, np.dtype[Any]]
    Query = Select[*tuple[Any, ...]]

MOST_PIECES = 24
MOVES, WON, WON_KEPT, DRAWN, DRAWN_KEPT = range(5)
"""What is counted: moves; positions won and drawn by the tables, and how many of them the moves kept."""
_ROWS = 2000
"""Games that are read at a time."""
_ANY = np.uint64(2**64 - 1)


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """The boards before and after a move that a player chose."""

    before: Board
    after: Board


class Tally:
    """The counts of each player, and the sample of its moves."""

    def __init__(self, tables: Tablebase, groups: Array, sample: int, seed: int) -> None:
        """``groups`` has the number of the group of each number of pieces: int64, (25,).

        ``sample`` is the number of moves of each player and group that are kept, chosen by ``seed``.
        """
        self._tables, self._groups, self._size, self._seed = tables, groups, sample, seed
        self._width = int(groups.max()) + 1
        self._players: dict[str, int] = {}
        self._counts = np.zeros((0, MOST_PIECES + 1, 5), np.int64)
        self._below = np.zeros(0, np.uint64)
        """Random number below which a move of a player and group is in the sample."""
        self._owners = np.zeros(0, np.int64)
        """Player and group of each move of the sample; the next arrays have its random number and its boards."""
        self._numbers = np.zeros(0, np.uint64)
        self._boards = np.zeros((0, 7), np.int64)

    def add(self, batch: list[tuple[str, str, int, str, bytes, bytes | None]]) -> None:
        """Count games: Black, White, id, first side, boards and seconds (null: every move was chosen) of each."""
        seats = [[self._players.setdefault(name, len(self._players)) for name in row[:2]] for row in batch]
        self._grow()
        lengths = np.array([len(row[4]) // 12 for row in batch])
        boards = np.frombuffer(b"".join(row[4] for row in batch), "<u4").reshape(-1, 3).astype(np.int64)
        times = b"".join(
            (bytes(4 * (length - 1)) if row[5] is None else row[5]) + SECONDS.gap
            for row, length in zip(batch, lengths.tolist(), strict=True)
        )
        chosen = ~np.isnan(np.frombuffer(times, "<f4"))
        places, owners = np.empty((2, len(boards)), np.int64)
        numbers = np.empty(len(boards), np.uint64)
        found = _scan(
            boards,
            chosen,
            np.concatenate([[0], lengths.cumsum()]),
            np.array([[row[3] == "white", row[2]] for row in batch], np.int64),
            np.array(seats, np.int64),
            *(self._tables.context.ctypes.data, self._seed, self._groups, self._width),
            *(self._below, self._counts, places, owners, numbers),
        )
        places, owners = places[:found], owners[:found]
        sides = np.repeat([row[3] == "white" for row in batch], lengths)[places]
        plies = places - np.repeat(lengths.cumsum() - lengths, lengths)[places]
        rows = np.column_stack([boards[places], boards[places + 1], (sides + plies) % 2])
        self._sample(owners, numbers[:found], rows)

    def _grow(self) -> None:
        new = len(self._players) - len(self._counts)
        if new:
            self._counts = np.concatenate([self._counts, np.zeros((new, *self._counts.shape[1:]), np.int64)])
            start = _ANY if self._size else np.uint64(0)
            self._below = np.concatenate([self._below, np.full(new * self._width, start, np.uint64)])

    def _sample(self, owners: Array, numbers: Array, boards: Array) -> None:
        """Keep the moves with the smallest numbers of each player and group."""
        owners, numbers = np.concatenate([self._owners, owners]), np.concatenate([self._numbers, numbers])
        order = np.lexsort((numbers, owners))
        owners = owners[order]
        starts = np.searchsorted(owners, owners)
        ranks = np.arange(len(owners)) - starts
        chosen = order[ranks < self._size]
        last = order[ranks == self._size - 1]
        self._boards = np.concatenate([self._boards, boards])[chosen]
        self._owners, self._numbers = owners[ranks < self._size], numbers[chosen]
        self._below[owners[ranks == self._size - 1]] = numbers[last]

    def rows(self) -> Iterator[tuple[str, int, Array]]:
        """Yield player, pieces and counts of each number of pieces from which the player moved, in sorted order."""
        for name, player in sorted(self._players.items()):
            for pieces in range(MOST_PIECES, 0, -1):
                if self._counts[player, pieces, MOVES]:
                    yield name, pieces, self._counts[player, pieces]

    def sample(self) -> Iterator[tuple[str, int, ChosenMove]]:
        """Yield the player, the group and the boards of each move of the sample."""
        names = list(self._players)
        for owner, (*masks, turned) in zip(self._owners.tolist(), self._boards.tolist(), strict=True):
            side = SIDES[turned]
            move = ChosenMove(
                Board(masks[0], masks[1], masks[2], side), Board(masks[3], masks[4], masks[5], side.other)
            )
            yield names[owner // self._width], owner % self._width, move

    @property
    def sampled(self) -> int:
        """Number of moves of the sample."""
        return len(self._owners)


def count(batches: Iterable[list[Any]], tally: Tally) -> None:
    """Count all games of the batches."""
    for batch in batches:
        tally.add(batch)


def of_tournament(connection: Connection, tournament_id: int | None) -> Iterator[list[Any]]:
    """Yield the games of one tournament, or of all, in batches for :meth:`Tally.add`."""
    specs: dict[int, str] = dict(connection.execute(select(players.c.id, players.c.spec)).all())
    names = ("black_id", "white_id", "id", "first", "boards", "seconds")
    query: Query = select(*(games.c[name] for name in names))
    if tournament_id is not None:
        query = query.where(games.c.tournament_id == tournament_id)
    for batch in connection.execution_options(yield_per=_ROWS).execute(query).partitions():
        yield [(specs[black], specs[white], *rest) for black, white, *rest in batch]


def of_collection(connection: Connection, collection_id: int) -> Iterator[list[Any]]:
    """Yield the games of a collection in batches for :meth:`Tally.add`; players are the tags Black and White."""
    columns = collected_games.c
    query: Query = select(columns.black, columns.white, columns.id, columns.fen, columns.boards)
    query = query.where(columns.collection_id == collection_id)
    for batch in connection.execution_options(yield_per=_ROWS).execute(query).partitions():
        yield [
            (black or "?", white or "?", key, "white" if fen[:1] == "W" else "black", boards, None)
            for black, white, key, fen, boards in batch
        ]


@kernel
def _scan(
    boards: Array,
    chosen: Array,
    starts: Array,
    games: Array,
    seats: Array,
    context: int,
    seed: int,
    groups: Array,
    width: int,
    below: Array,
    counts: Array,
    places: Array,
    owners: Array,
    numbers: Array,
) -> int:
    """Count the moves of games, and return the number of moves that may be in the sample.

    ``starts`` has the place of each game's first board, and of the end; ``games`` whether White moves first, and the
    id; ``seats`` the numbers of Black and White. ``places``, ``owners`` and ``numbers`` get the place, the player and
    group, and the random number of the moves that may be in the sample.
    """
    found = 0
    for game in range(len(starts) - 1):
        state = stream(seed, games[game, 1])
        for place in range(starts[game], starts[game + 1] - 1):
            if not chosen[place]:
                continue
            ply = place - starts[game]
            turned = (games[game, 0] + ply) % 2
            player = seats[game, turned]
            pieces = popcount(boards[place, 0] | boards[place, 1])
            counts[player, pieces, 0] += 1
            before = _value(boards[place], turned, context)
            if before != NOT_IN_TABLES and before >= DRAW:
                after = _value(boards[place + 1], 1 - turned, context)
                if after != NOT_IN_TABLES:
                    kind = 1 if before > DRAW else 3
                    counts[player, pieces, kind] += 1
                    if np.sign(before) == -np.sign(after):
                        counts[player, pieces, kind + 1] += 1
            owner = player * width + groups[pieces]
            number = mixed(state + np.uint64(ply))
            if number < below[owner]:
                places[found], owners[found], numbers[found] = place, owner, number
                found += 1
    return found


@kernel
def _value(board: Array, turned: int, context: int) -> int:
    """Return the tables' value of a board for the side to move; ``turned``: 1 if that is White."""
    black, white, kings = board[0], board[1], board[2]
    value: int = probe(rotate(white), rotate(black), rotate(kings), context)
    if turned == 0:
        value = probe(black, white, kings, context)
    return value
