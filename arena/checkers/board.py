"""The board: a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from arena.checkers import bitboard, notation, svg
from arena.checkers.bits import rotated
from arena.checkers.move import MOVES, SIDES, Move, Side
from arena.errors import BadFEN, IllegalMove

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_FULL = 0xFFFFFFFF
_KING_ROWS = (0xF0000000, 0x0000000F)


class _Masks(NamedTuple):
    black: int
    white: int
    kings: int
    side: Side


class _Once(Generic[T]):
    """A property that is computed when it is first read, and then kept."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, board: Any, _: type | None = None) -> T:
        if board is None:
            return self  # type: ignore[return-value]
        value: T = self._compute(board)
        board.__dict__[self._name] = value
        return value


class Board(_Masks):
    """Where the pieces stand and who is to move: an immutable value, equal and hashed by its content.

    ``black``, ``white`` and ``kings`` (of both colours) are 32-bit masks in which bit n - 1 is square n.
    """

    def __new__(cls, black: int, white: int, kings: int = 0, side: Side = Side.BLACK) -> Self:
        """Raises ValueError where the masks overlap, leave the board or hold more than 12 pieces a side."""
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
    def start(cls) -> Self:
        """The start of a game: twelve men each, Black to move."""
        return cls(bitboard.START, bitboard.START << 20)

    @classmethod
    def from_fen(cls, text: str) -> Self:
        """The board that a PDN FEN describes, for example ``W:W21,K22:B1-3,K4``; raises BadFEN."""
        masks = notation.parse_fen(text)
        try:
            return cls(*masks)
        except ValueError as error:
            raise BadFEN(f"{text!r} is not a position: {error}") from None

    @classmethod
    def from_key(cls, key: int) -> Self:
        """The board of a :attr:`key`, with Black to move; raises ValueError where it is no key."""
        black = white = kings = 0
        for square in reversed(range(32)):
            key, digit = divmod(key, 5)
            black |= (digit in (1, 2)) << square
            white |= (digit in (3, 4)) << square
            kings |= (digit in (2, 4)) << square
        if key:
            raise ValueError("a key has at most 32 digits in base 5")
        return cls(black, white, kings)

    @_Once
    def legal_moves(self) -> tuple[Move, ...]:
        """All legal moves, every capture route on its own; empty where the side to move has lost.

        In the order of :mod:`arena.checkers.bitboard`: by direction of the first step, then by origin, both
        as the mover sees the board.
        """
        codes = bitboard.legal(self.black, self.white, self.kings, self.side == 1).tolist()
        return tuple(map(MOVES[self.side].__getitem__, codes))

    @property
    def fen(self) -> str:
        """The board as PDN FEN, White's pieces first, squares ascending."""
        return notation.fen(self.black, self.white, self.kings, self.side)

    @property
    def key(self) -> int:
        """32 digits in base 5, square 1 first, as the side to move sees the board.

        0 empty, 1 own man, 2 own king, 3 enemy man, 4 enemy king. A board and its :meth:`flipped` share one.
        """
        own, opp, kings = self.relative
        key = 0
        for square in range(32):
            piece = 1 if own >> square & 1 else 3 if opp >> square & 1 else 0
            key = 5 * key + piece + (kings >> square & 1)
        return key

    @property
    def relative(self) -> tuple[int, int, int]:
        """``own``, ``opp`` and ``kings`` as the side to move sees them: the masks that kernels take."""
        if self.side is Side.BLACK:
            return self.black, self.white, self.kings
        return rotated(self.white), rotated(self.black), rotated(self.kings)

    def after(self, move: Move) -> Self:
        """The board after a legal move; raises IllegalMove."""
        if move not in self.legal_moves:
            legal = ", ".join(map(str, self.legal_moves)) or "none"
            raise IllegalMove(f"{move} is not legal in {self.fen}; legal moves: {legal}")
        black, white, kings, side = self
        origin, destination, captured = move._origin, move._destination, move._captured
        crowned = destination if kings & origin else destination & _KING_ROWS[side]
        kings = kings & ~(origin | captured) | crowned
        if side:
            black, white = black & ~captured, white & ~origin | destination
        else:
            black, white = black & ~origin | destination, white & ~captured
        return tuple.__new__(type(self), (black, white, kings, SIDES[1 - side]))

    def flipped(self) -> Self:
        """The same position with the colours exchanged: the board turned round, the other side to move."""
        masks = rotated(self.white), rotated(self.black), rotated(self.kings)
        return tuple.__new__(type(self), (*masks, self.side.other))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Board cannot be changed; board.after(move) makes a new one")

    def __repr__(self) -> str:
        return f"Board.from_fen({self.fen!r})"

    def __str__(self) -> str:
        return notation.diagram(self.black, self.white, self.kings)

    def _repr_svg_(self) -> str:
        return svg.draw(self.black, self.white, self.kings)
