"""The rote memory of Melicher 2009: boards met, the moves tried off them and how often, and what they proved worth.

It is a table of fixed size, so that compiled games recall from it and compiled learning writes to it. A board has its
place in one bucket of four, which its masks name. Where that is full, the newcomer replaces the board that was met
least often; of boards met as often, the one that was not met for longest (the text is silent; the rule is ours).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, generate, make

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

WORDS = 2
"""Numbers of an entry: own | opp << 32 (0: empty) and kings | value << 32. A bucket is one line of the cache."""
BUCKET = 4
"""Boards that may stand in the same place."""
MOVES = 32
"""Legal moves of a board whose tries are counted: the first so many, and no game has had more."""
_EXCHANGE = np.int64(0x2545F4914F6CDD1D)
_MIX = np.int64(0x1E3779B97F4A7C15)
_MASK = 0xFFFFFFFF
_LINE = 64
_VISITS, _LAST = range(2)
_TENSORS = ("boards", "values", "visits", "tried")


@arena.kernel
def find(own: int, opp: int, kings: int, table: np.ndarray) -> int:
    """Number of the entry of a board in ``table`` (int64, WORDS numbers for each of 4 n boards); -1: there is none."""
    key = own | opp << 32
    first = _bucket(own, opp, kings, len(table))
    for entry in range(first, first + BUCKET):
        if table[WORDS * entry] == key and table[WORDS * entry + 1] & _MASK == kings:
            return entry
    return -1


@arena.kernel
def _bucket(own: int, opp: int, kings: int, length: int) -> int:
    """Number of the first entry of a board's bucket in a table of so many numbers."""
    mixed = ((own | opp << 32) ^ kings * _EXCHANGE) * _MIX
    bucket = (mixed >> 32 & _MASK) * (length // (WORDS * BUCKET)) >> 32
    return int(BUCKET * bucket)


@arena.kernel
def _place(own: int, opp: int, kings: int, table: np.ndarray, seen: np.ndarray, tried: np.ndarray) -> int:
    """Number of the entry of a board, which is made if need be; a new one has no visits."""
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
    """Which of the legal moves, the first of equal ones, led from one board to the next; -1: none."""
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
    """Fill empty tables with what :meth:`RoteMemory.tensors` wrote, in that order."""
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
    """Boards by :attr:`arena.Board.key`; a board and the same board with the colours exchanged are one.

    Values are whole numbers of kernel units (:class:`arena.Kernel`), for the side to move.
    """

    def __init__(self, capacity: int) -> None:
        """``capacity``: most boards that it holds, 1 or more; it is rounded up to whole buckets."""
        entries = -(-capacity // BUCKET) * BUCKET
        self.table = _aligned(WORDS * entries)
        """The boards and their values, as :func:`find` finds them."""
        self.seen = np.zeros((entries, 2), dtype=np.int64)
        """Visits of each entry, and when it was last met: counted in boards."""
        self._tried = np.zeros((entries, MOVES), dtype=np.uint32)
        self._met = 0

    def __len__(self) -> int:
        return int(np.count_nonzero(self.table[::WORDS]))

    @property
    def bytes(self) -> int:
        """What the boards that it holds take."""
        return len(self) * (8 * (WORDS + 2) + 4 * MOVES)

    def __contains__(self, board: arena.Board) -> bool:
        return self._find(board) >= 0

    def value(self, board: arena.Board) -> int:
        """The remembered value of a board; raises KeyError where it is not held."""
        if board not in self:
            raise KeyError(board)
        return int(self.table[WORDS * self._find(board) + 1] >> 32)

    def visits(self, board: arena.Board) -> int:
        """How often the board was met; 0 where it is not held."""
        return int(self.seen[self._find(board), _VISITS]) if board in self else 0

    def visits_of(self, boards: np.ndarray) -> np.ndarray:
        """How often each of many boards was met, 1 where it is not held: int64, (n,), of masks (int64, (n, 3))."""
        visits: np.ndarray = _visits(boards, self.table, self.seen)
        return visits

    def reached(self, board: arena.Board) -> dict[arena.Board, int]:
        """The boards that were reached from ``board``, and how often, in the order of its legal moves."""
        if board not in self:
            return {}
        times = self._tried[self._find(board)].tolist()
        return {board.after(move): n for move, n in zip(board.legal_moves, times, strict=False) if n}

    def meet(self, boards: np.ndarray, values: np.ndarray, known: np.ndarray) -> None:
        """Count one visit of each board of a game, in order, and one try of each move.

        ``boards`` (int64, (n, 3)): masks own, opp, kings as the mover sees them. ``values`` (int64, n): what they are
        worth now; where ``known`` (bool, n) is false the value is only for boards that are new.
        """
        _meet(boards, values, known, self._met, self.table, self.seen, self._tried)
        self._met += len(boards)

    def tensors(self) -> dict[str, np.ndarray]:
        """The memory as arrays, by when each board was last met.

        ``boards`` uint32 (n, 3): masks own, opp, kings as the mover sees them; ``values`` int32 (n,); ``visits`` uint32
        (n,); ``tried`` uint32 (m, 3): index of the board, number of the legal move, times; ``capacity`` int64 ().
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
        """The memory that :meth:`tensors` wrote; with another ``capacity`` those met most often where it is smaller."""
        memory = cls(int(tensors["capacity"]) if capacity is None else capacity)
        boards, values, visits, tries = (tensors[name].astype(np.int64) for name in _TENSORS)
        order = np.argsort(visits, kind="stable")  # those met most often come last, and stay
        _enter(order, boards, values, visits, tries, memory.table, memory.seen, memory._tried)
        memory._met = len(tensors["boards"])
        return memory

    def lines(self, successors: Literal["reached", "reachable"] = "reached") -> Iterator[str]:
        """The memory as text: ``board : board, board, …``, each 32 digits in base 5 (:attr:`arena.Board.key`).

        After the colon stand the boards that were reached from it, or all that can be reached: the text says both.
        """
        for masks in self.tensors()["boards"].tolist():
            board = arena.Board.seen_by(arena.Side.BLACK, *masks)
            after = self.reached(board) if successors == "reached" else {board.after(m): 0 for m in board.legal_moves}
            yield f"{_digits(board)} : {', '.join(map(_digits, after))}".rstrip()

    def _find(self, board: arena.Board) -> int:
        return int(find(*board.relative, self.table))


def _aligned(length: int) -> np.ndarray:
    """Zeros (int64) that begin where a line of the cache does."""
    room = np.zeros(length + _LINE // 8, dtype=np.int64)
    first = -room.ctypes.data % _LINE // 8
    return room[first : first + length]


def _digits(board: arena.Board) -> str:
    return np.base_repr(board.key, 5).zfill(32)
