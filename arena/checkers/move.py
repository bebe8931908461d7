"""Sides and moves."""

from __future__ import annotations

from enum import IntEnum
from itertools import pairwise
from typing import Any, ClassVar

from arena.checkers.bitboard import JUMP, STEP
from arena.errors import IllegalMove


class Side(IntEnum):
    """A player's colour. Black starts on squares 1-12, moves first, and moves towards higher squares."""

    BLACK = 0
    WHITE = 1

    @property
    def other(self) -> Side:
        """The opponent's colour."""
        return SIDES[1 - self]

    def __str__(self) -> str:
        return self.name.lower()


SIDES = (Side.BLACK, Side.WHITE)
_KING_ROWS = 0xF000000F
"""King rows of both sides in one mask: a man can only reach its own king row."""
_NEIGHBOURS = [{int(to) + 1 for to in STEP[:, square] if to >= 0} for square in range(32)]
_JUMPED = [
    {int(JUMP[d, square]) + 1: int(STEP[d, square]) + 1 for d in range(4) if JUMP[d, square] >= 0}
    for square in range(32)
]


class Move:
    """One whole turn: the squares (1-32) that a piece visits, and the squares of the pieces that it captures.

    There is one object for each path (the board has fewer than 1,600), so moves compare by identity.
    ``Board.legal_moves`` tells which moves are legal.
    """

    __slots__ = ("_masks", "_short", "_text", "captures", "path")
    _by_path: ClassVar[dict[tuple[int, ...], Move]] = {}

    path: tuple[int, ...]
    """Origin, then the landing square of each step or jump; the last is the destination."""
    captures: tuple[int, ...]
    """Squares of the captured pieces in the order of the jumps; empty for a quiet move."""
    _text: str
    _short: str
    """``_text`` with only the first and the last square."""
    _masks: tuple[int, int, int, int]
    """Four masks: the origin; origin and destination, or 0 if they are the same square; the captured pieces; the
    destination if it is on a king row, else 0."""

    def __new__(cls, path: tuple[int, ...]) -> Move:
        """The move along ``path``; raises IllegalMove if no piece could make it on any board."""
        path = tuple(map(int, path))
        known = cls._by_path.get(path)
        if known is None:
            known = cls._by_path.setdefault(path, cls._make(path))
        return known

    @classmethod
    def _make(cls, path: tuple[int, ...]) -> Move:
        move = object.__new__(Move)
        steps = list(pairwise(path)) if all(1 <= square <= 32 for square in path) else []
        if len(steps) == 1 and path[1] in _NEIGHBOURS[path[0] - 1]:
            captures: tuple[int, ...] = ()
        else:
            captures = tuple(_JUMPED[start - 1].get(to, 0) for start, to in steps)
            if not captures or 0 in captures or len(set(captures)) < len(captures):
                raise IllegalMove(f"no piece can move along the squares {'-'.join(map(str, path))}")
        origin, destination = 1 << path[0] - 1, 1 << path[-1] - 1
        text = ("x" if captures else "-").join(map(str, path))
        values: dict[str, Any] = {
            "path": path,
            "captures": captures,
            "_text": text,
            "_short": ("x" if captures else "-").join(map(str, (path[0], path[-1]))),
            "_masks": (
                origin,
                origin ^ destination,
                sum(1 << square - 1 for square in captures),
                destination & _KING_ROWS,
            ),
        }
        for name, value in values.items():
            object.__setattr__(move, name, value)
        return move

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Move cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Move cannot be changed")

    def __reduce__(self) -> tuple[type[Move], tuple[tuple[int, ...]]]:
        return Move, (self.path,)

    def __str__(self) -> str:
        """The full path in PDN: ``9-13`` or ``18x11x4``."""
        return self._text

    def __repr__(self) -> str:
        return f"Move({self})"


class MovesByCode(dict[int, Move]):
    """The moves of one side by code; see :mod:`arena.checkers.bitboard`."""

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._turned = side is Side.WHITE

    def __missing__(self, code: int) -> Move:
        path = [code & 31]
        for jump in range(code >> 10 & 15):
            path.append(int(JUMP[code >> 14 + 2 * jump & 3, path[-1]]))
        if len(path) == 1:
            path.append(code >> 5 & 31)
        return self.setdefault(code, self._move(path))

    def _move(self, path: list[int]) -> Move:
        return Move(tuple(32 - square if self._turned else square + 1 for square in path))


class MovesByNumber(MovesByCode):
    """The moves of one side by number; see :func:`arena.checkers.bitboard.legal_numbers`."""

    def __missing__(self, number: int) -> Move:
        if number >= 256:
            return super().__missing__(number)
        direction, origin = number >> 5 & 3, number & 31
        target = JUMP if number >= 128 else STEP
        return self.setdefault(number, self._move([origin, int(target[direction, origin])]))


MOVES = (MovesByCode(Side.BLACK), MovesByCode(Side.WHITE))
"""For each side, its moves by code."""
MOVES_BY_NUMBER = (MovesByNumber(Side.BLACK), MovesByNumber(Side.WHITE))
"""For each side, its moves by number."""
