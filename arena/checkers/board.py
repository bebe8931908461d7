"""The board: an immutable position with a side to move."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from arena.checkers import bitboard, svg
from arena.checkers.bits import rotated
from arena.checkers.fen import diagram, parse_fen, write_fen
from arena.checkers.move import MOVES_BY_NUMBER, SIDES, Move, Side
from arena.errors import BadFEN, IllegalMove, shown
from arena.kernels.compiled import entry_point

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

_FULL = 0xFFFFFFFF
_BLACK, _WHITE = SIDES
_new = tuple.__new__
_MOVE_OF = tuple(moves.__getitem__ for moves in MOVES_BY_NUMBER)


class _Masks(NamedTuple):
    black: int
    white: int
    kings: int
    side: Side


class _LegalMoves:
    """All legal moves, with one move for each capture route; empty if the side to move has lost.

    The moves are in the order of :mod:`arena.checkers.bitboard`: by direction of the first step, then by origin, both
    as the mover sees the board. They are generated at the first access and cached.
    """

    @cached_property
    def _numbers(self) -> Callable[[int, int, int, bool], list[int]]:
        return entry_point(bitboard.legal_numbers, "(int64, int64, int64, boolean)")

    def __get__(self, board: Any, _: type | None = None) -> tuple[Move, ...]:
        if board is None:
            return self  # type: ignore[return-value]
        black, white, kings, side = board
        moves = tuple(map(_MOVE_OF[side], self._numbers(black, white, kings, side == 1)))
        board.__dict__["legal_moves"] = moves
        return moves


class Board(_Masks):
    """The pieces and the side to move. Boards are immutable, and equal and hashed by content.

    ``black``, ``white`` and ``kings`` (of both colours) are 32-bit masks in which bit n - 1 is square n.
    """

    def __new__(cls, black: int, white: int, kings: int = 0, side: Side = Side.BLACK) -> Self:
        """Raises ValueError if the masks overlap, leave the board or hold more than 12 pieces a side."""
        black, white, kings = int(black), int(white), int(kings)
        if not 0 <= black | white | kings <= _FULL:
            raise ValueError("masks must be 32-bit: bit n - 1 is square n")
        if black & white:
            raise ValueError(f"black and white both stand on square {(black & white).bit_length()}")
        if kings & ~(black | white):
            raise ValueError(f"a king without a piece on square {(kings & ~(black | white)).bit_length()}")
        if max(black.bit_count(), white.bit_count()) > 12:
            raise ValueError("a side has more than 12 pieces")
        return super().__new__(cls, black, white, kings, Side(side))

    @classmethod
    @cache
    def start(cls) -> Self:
        """The initial position: twelve men each, Black to move."""
        return cls(bitboard.START, bitboard.START << 20)

    @classmethod
    def seen_by(cls, side: int, own: int, opp: int, kings: int) -> Self:
        """The board with these :attr:`relative` masks and ``side`` to move. The masks are not checked."""
        if side:
            return tuple.__new__(cls, (rotated(opp), rotated(own), rotated(kings), Side.WHITE))
        return tuple.__new__(cls, (own, opp, kings, Side.BLACK))

    @classmethod
    def from_fen(cls, text: str) -> Self:
        """The board that a PDN FEN describes, for example ``W:W21,K22:B1-3,K4``; raises BadFEN."""
        masks = parse_fen(text)
        try:
            return cls(*masks)
        except ValueError as error:
            raise BadFEN(f"{shown(text)} is not a position: {error}") from None

    @classmethod
    def from_key(cls, key: int) -> Self:
        """The board with this :attr:`key` and Black to move; raises ValueError if it is not a key."""
        black = white = kings = 0
        for square in reversed(range(32)):
            key, digit = divmod(key, 5)
            black |= (digit in (1, 2)) << square
            white |= (digit in (3, 4)) << square
            kings |= (digit in (2, 4)) << square
        if key:
            raise ValueError("a key has at most 32 digits in base 5")
        return cls(black, white, kings)

    legal_moves = _LegalMoves()
    """The legal moves, one for each capture route; empty if the side to move has lost."""

    @property
    def stuck(self) -> bool:
        """Whether the side to move has no legal move, and so has lost."""
        black, white, _, side = self
        # Fast path: a step straight forward (four squares) onto an empty square proves that a move exists.
        forward = white >> 4 if side else black << 4
        return not (forward & ~(black | white) & _FULL or self.legal_moves)

    def move_codes(self) -> np.ndarray:
        """The codes (int64) of :attr:`legal_moves`, in the same order; see :mod:`arena.checkers.bitboard`."""
        return bitboard.legal(self.black, self.white, self.kings, self.side == 1)

    @property
    def fen(self) -> str:
        """The board as PDN FEN, White's pieces first, squares ascending."""
        return write_fen(self.black, self.white, self.kings, self.side)

    @property
    def key(self) -> int:
        """A number of 32 digits in base 5, one for each square as the side to move sees the board, square 1 first.

        Digits: 0 empty, 1 own man, 2 own king, 3 enemy man, 4 enemy king. A board and its :meth:`flipped` board have
        the same key.
        """
        own, opp, kings = self.relative
        key = 0
        for square in range(32):
            piece = 1 if own >> square & 1 else 3 if opp >> square & 1 else 0
            key = 5 * key + piece + (kings >> square & 1)
        return key

    @property
    def relative(self) -> tuple[int, int, int]:
        """The masks ``own``, ``opp`` and ``kings`` as the side to move sees them; kernels take these."""
        if self.side is Side.BLACK:
            return self.black, self.white, self.kings
        return rotated(self.white), rotated(self.black), rotated(self.kings)

    def after(self, move: Move) -> Self:
        """Return the board after ``move``; raises IllegalMove if it is not legal."""
        self.check(move)
        return self.after_legal(move)

    def check(self, move: Move) -> None:
        """Raise IllegalMove if ``move`` is not legal."""
        if move not in self.legal_moves:
            legal = ", ".join(map(str, self.legal_moves)) or "none"
            raise IllegalMove(f"{move} is not legal in {self.fen}; legal moves: {legal}")

    def after_legal(self, move: Move) -> Self:
        """Return the board after a move that is known to be legal; the move is not checked."""
        black, white, kings, side = self
        origin, ends, captured, crown = move._masks
        if kings & origin:
            kings ^= ends
        elif crown:
            kings |= crown
        if captured:
            kings &= ~captured
        if side:
            return _new(type(self), (black ^ captured, white ^ ends, kings, _BLACK))
        return _new(type(self), (black ^ ends, white ^ captured, kings, _WHITE))

    def flipped(self) -> Self:
        """Return the same position with the colours exchanged: the board rotated, the other side to move."""
        masks = rotated(self.white), rotated(self.black), rotated(self.kings)
        return tuple.__new__(type(self), (*masks, self.side.other))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Board cannot be changed; board.after(move) makes a new one")

    def __repr__(self) -> str:
        return f"Board.from_fen({self.fen!r})"

    def __str__(self) -> str:
        return diagram(self.black, self.white, self.kings)

    def _repr_svg_(self) -> str:
        return svg.draw(self.black, self.white, self.kings)
