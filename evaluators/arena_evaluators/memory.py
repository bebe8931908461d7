"""The rote memory of Melicher (2009): boards met, the moves tried on them with their counts, and values.

The memory is a table of fixed size, so that compiled games read it and compiled learning writes it. A hash of the masks
selects one bucket of four entries. If the bucket is full, a new board replaces the board that was met least often; of
boards met equally often, the one not met for longest. The text does not limit the size; this rule is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, generate, make

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WORDS = 2
"""Numbers of an entry: own | opp << 32 (0: empty) and kings | value << 32. A bucket fills one cache line."""
BUCKET = 4
"""Entries of a bucket."""
MOVES = 32
"""Number of legal moves of a board whose tries are counted, from the first on. Longer lists have not occurred."""
_EXCHANGE = np.int64(0x2545F4914F6CDD1D)
_MIX = np.int64(0x1E3779B97F4A7C15)
_MASK = 0xFFFFFFFF
_LINE = 64
_VISITS, _LAST = range(2)
_TENSORS = ("boards", "values", "visits", "tried")


@arena.kernel
def find(own: int, opp: int, kings: int, table: np.ndarray) -> int:
    """Return the number of a board's entry in ``table`` (int64, WORDS numbers for each of 4 n boards), or -1."""
    key = own | opp << 32
    first = _bucket(own, opp, kings, len(table))
    for entry in range(first, first + BUCKET):
        if table[WORDS * entry] == key and table[WORDS * entry + 1] & _MASK == kings:
            return entry
    return -1


@arena.kernel
def _bucket(own: int, opp: int, kings: int, length: int) -> int:
    """Return the number of the first entry of a board's bucket, in a table of ``length`` numbers."""
    mixed = ((own | opp << 32) ^ kings * _EXCHANGE) * _MIX
    bucket = (mixed >> 32 & _MASK) * (length // (WORDS * BUCKET)) >> 32
    return int(BUCKET * bucket)


@arena.kernel
def _place(own: int, opp: int, kings: int, table: np.ndarray, seen: np.ndarray, tried: np.ndarray) -> int:
    """Return the number of a board's entry; create it with no visits if it does not exist."""
    entry = find(own, opp, kings, table)
    if entry >= 0:
        return entry
    first = _bucket(own, opp, kings, len(table))
    entry = first
    for other in range(first, first + BUCKET):
        fewer = seen[other, _VISITS] < seen[entry, _VISITS]
        if fewer or (seen[other, _VISITS] == seen[entry, _VISITS] and seen[other, _LAST] < seen[entry, _LAST]):
            entry = other
    table[WORDS * entry] = own | opp << 32
    table[WORDS * entry + 1] = kings
    seen[entry, _VISITS] = 0
    tried[entry] = 0
    return entry


@arena.kernel
def _number(boards: np.ndarray, ply: int, moves: np.ndarray) -> int:
    """Return the index of the first legal move that leads from one board to the next, or -1."""
    own, opp, kings = boards[ply]
    for i in range(generate(own, opp, kings, moves, 0)):
        after = make(own, opp, kings, moves[i])
        if after[0] == boards[ply + 1, 0] and after[1] == boards[ply + 1, 1] and after[2] == boards[ply + 1, 2]:
            return i
    return -1


@arena.kernel
def _meet(
    boards: np.ndarray,
    values: np.ndarray,
    known: np.ndarray,
    met: int,
    table: np.ndarray,
    seen: np.ndarray,
    tried: np.ndarray,
) -> None:
    """See :meth:`RoteMemory.meet`."""
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    for ply in range(len(boards)):
        own, opp, kings = boards[ply]
        entry = _place(own, opp, kings, table, seen, tried)
        if known[ply] or seen[entry, _VISITS] == 0:
            table[WORDS * entry + 1] = kings | values[ply] << 32
        seen[entry, _VISITS] += 1
        seen[entry, _LAST] = met + ply + 1
        if ply + 1 < len(boards):
            number = _number(boards, ply, moves)
            if 0 <= number < MOVES:
                tried[entry, number] += 1


@arena.kernel
def _visits(boards: np.ndarray, table: np.ndarray, seen: np.ndarray) -> np.ndarray:
    visits = np.ones(len(boards), dtype=np.int64)
    for i in range(len(boards)):
        own, opp, kings = boards[i]
        entry = find(own, opp, kings, table)
        if entry >= 0:
            visits[i] = seen[entry, _VISITS]
    return visits


@arena.kernel
def _enter(
    order: np.ndarray,
    boards: np.ndarray,
    values: np.ndarray,
    visits: np.ndarray,
    tries: np.ndarray,
    table: np.ndarray,
    seen: np.ndarray,
    tried: np.ndarray,
) -> None:
    """Fill empty tables with the arrays of :meth:`RoteMemory.tensors`, in that order."""
    entries = np.empty(len(boards), dtype=np.int64)
    for i in order:
        own, opp, kings = boards[i]
        entry = _place(own, opp, kings, table, seen, tried)
        table[WORDS * entry + 1] = kings | values[i] << 32
        seen[entry, _VISITS], seen[entry, _LAST] = visits[i], i + 1
        entries[i] = entry
    for i in range(len(tries)):
        board = tries[i, 0]
        entry = entries[board]
        if seen[entry, _LAST] == board + 1 and tries[i, 1] < MOVES:
            tried[entry, tries[i, 1]] = tries[i, 2]


class RoteMemory:
    """Values of boards, as whole kernel units (:class:`arena.Kernel`) for the side to move.

    A board and the same board with the colours exchanged share an entry, as they share :attr:`arena.Board.key`.
    """

    def __init__(self, capacity: int) -> None:
        """``capacity``: maximum number of boards, 1 or more, rounded up to whole buckets."""
        entries = -(-capacity // BUCKET) * BUCKET
        self.table = _aligned(WORDS * entries)
        """The boards and their values, in the layout of :func:`find`."""
        self.seen = np.zeros((entries, 2), dtype=np.int64)
        """Visits of each entry, and the number of boards met up to its last visit: int64, (entries, 2)."""
        self._tried = np.zeros((entries, MOVES), dtype=np.uint32)
        self._met = 0

    def __len__(self) -> int:
        return int(np.count_nonzero(self.table[::WORDS]))

    @property
    def bytes(self) -> int:
        """Memory used by the stored boards, in bytes."""
        return len(self) * (8 * (WORDS + 2) + 4 * MOVES)

    def __contains__(self, board: arena.Board) -> bool:
        return self._find(board) >= 0

    def value(self, board: arena.Board) -> int:
        """Return the remembered value of a board. Raises KeyError if the board is not stored."""
        if board not in self:
            raise KeyError(board)
        return int(self.table[WORDS * self._find(board) + 1] >> 32)

    def visits(self, board: arena.Board) -> int:
        """Return the number of visits of a board; 0 if it is not stored."""
        return int(self.seen[self._find(board), _VISITS]) if board in self else 0

    def visits_of(self, boards: np.ndarray) -> np.ndarray:
        """Return the visits of boards (masks, int64, (n, 3)), 1 for boards that are not stored: int64, (n,)."""
        visits: np.ndarray = _visits(boards, self.table, self.seen)
        return visits

    def reached(self, board: arena.Board) -> dict[arena.Board, int]:
        """Return the boards reached from ``board`` with their counts, in the order of its legal moves."""
        if board not in self:
            return {}
        times = self._tried[self._find(board)].tolist()
        return {board.after(move): n for move, n in zip(board.legal_moves, times, strict=False) if n}

    def meet(self, boards: np.ndarray, values: np.ndarray, known: np.ndarray) -> None:
        """Count one visit of each board of a game, in order, and one try of each move.

        ``boards`` (int64, (n, 3)): masks own, opp, kings for the side to move. ``values`` (int64, (n,)): their new
        values. If ``known`` (bool, (n,)) is false, the value is stored only for a new board.
        """
        _meet(boards, values, known, self._met, self.table, self.seen, self._tried)
        self._met += len(boards)

    def tensors(self) -> dict[str, np.ndarray]:
        """Return the memory as arrays, ordered by the last visit of each board.

        ``boards`` uint32 (n, 3): masks own, opp, kings for the side to move; ``values`` int32 (n,); ``visits`` uint32
        (n,); ``tried`` uint32 (m, 3): index of the board, index of the legal move, count; ``capacity`` int64 ().
        """
        held = np.flatnonzero(self.table[::WORDS])
        held = held[np.argsort(self.seen[held, _LAST])]
        first, second = self.table.reshape(-1, WORDS)[held].T
        tried = self._tried[held]
        boards, numbers = tried.nonzero()
        return {
            "boards": np.stack([first & _MASK, first >> 32 & _MASK, second & _MASK], axis=1).astype(np.uint32),
            "values": (second >> 32).astype(np.int32),
            "visits": self.seen[held, _VISITS].astype(np.uint32),
            "tried": np.stack([boards, numbers, tried[boards, numbers]], axis=1).astype(np.uint32),
            "capacity": np.array(len(self.seen), dtype=np.int64),
        }

    @classmethod
    def of(cls, tensors: Mapping[str, np.ndarray], capacity: int | None = None) -> Self:
        """Return the memory stored by :meth:`tensors`. With a smaller ``capacity``, boards met most often are kept."""
        memory = cls(int(tensors["capacity"]) if capacity is None else capacity)
        boards, values, visits, tries = (tensors[name].astype(np.int64) for name in _TENSORS)
        order = np.argsort(visits, kind="stable")  # boards met most often come last and replace others
        _enter(order, boards, values, visits, tries, memory.table, memory.seen, memory._tried)
        memory._met = len(tensors["boards"])
        return memory

    def lines(self, successors: Literal["reached", "reachable"] = "reached") -> Iterator[str]:
        """Yield the memory as text: ``board : board, board, …``, each 32 digits in base 5 (:attr:`arena.Board.key`).

        The boards after the colon were reached from the first board, or are all reachable ones; the text says both.
        """
        for masks in self.tensors()["boards"].tolist():
            board = arena.Board.seen_by(arena.Side.BLACK, *masks)
            after = self.reached(board) if successors == "reached" else {board.after(m): 0 for m in board.legal_moves}
            yield f"{_digits(board)} : {', '.join(map(_digits, after))}".rstrip()

    def _find(self, board: arena.Board) -> int:
        return int(find(*board.relative, self.table))


def _aligned(length: int) -> np.ndarray:
    """Return zeros (int64) aligned to a cache line."""
    room = np.zeros(length + _LINE // 8, dtype=np.int64)
    first = -room.ctypes.data % _LINE // 8
    return room[first : first + length]


def _digits(board: arena.Board) -> str:
    return np.base_repr(board.key, 5).zfill(32)
