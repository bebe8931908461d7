"""Positions as text: PDN FEN, and a diagram for the terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arena.checkers.move import Side
from arena.errors import BadFEN, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEN = re.compile(r"([BW]):([BW])([^:]*):([BW])([^:]*)", re.IGNORECASE)
_PIECES = re.compile(r"(K?)(\d{1,2})(?:-(\d{1,2}))?", re.IGNORECASE)

_PLAIN = {f"{'K' * king}{square}": (square, king) for square in range(1, 33) for king in (False, True)}
"""Square and kind (king or not) by the usual spelling of a piece, such as ``12`` or ``K12``: a fast path."""


def parse_fen(text: str) -> tuple[int, int, int, Side]:
    """Return the masks of black, white and kings, and the side to move; raises BadFEN.

    The text is PDN FEN (``B:W21,22,K30:B1-3,K4``), with the colours in either order and an optional final dot.
    """
    match = _FEN.fullmatch(re.sub(r"\s+", "", text).removesuffix("."))
    if match is None or match[2].upper() == match[4].upper():
        raise BadFEN(f"{shown(text)} is not a FEN; one reads like B:W21,22,K30:B1,2,K3")
    masks = [0, 0]
    kings = 0
    for colour, pieces in ((match[2], match[3]), (match[4], match[5])):
        own = 0
        for square, is_king in _squares(text, pieces):
            bit = 1 << square - 1
            if (own | masks[0] | masks[1]) & bit:
                raise BadFEN(f"square {square} stands twice in {shown(text)}")
            own |= bit
            kings |= is_king and bit
        masks[colour in "Ww"] = own
    black, white = masks
    return black, white, kings, Side.WHITE if match[1] in "Ww" else Side.BLACK


def _squares(text: str, pieces: str) -> Iterator[tuple[int, bool]]:
    for piece in pieces.split(",") if pieces else ():
        if piece in _PLAIN:
            yield _PLAIN[piece]
            continue
        match = _PIECES.fullmatch(piece)
        first = int(match[2]) if match else 0
        last = int(match[3] or first) if match else 0
        if match is None or not 1 <= first <= last <= 32:
            raise BadFEN(f"{shown(piece)} in {shown(text)} is not a square from 1 to 32, or K and a square for a king")
        for square in range(first, last + 1):
            yield square, bool(match[1])


def write_fen(black: int, white: int, kings: int, side: Side) -> str:
    """Return the PDN FEN of a position: White's pieces first, squares ascending."""

    def pieces(mask: int) -> str:
        squares = (square for square in range(32) if mask >> square & 1)
        return ",".join(f"{'K' if kings >> square & 1 else ''}{square + 1}" for square in squares)

    return f"{'BW'[side]}:W{pieces(white)}:B{pieces(black)}"


def diagram(black: int, white: int, kings: int) -> str:
    """Return the board in eight lines, White's side at the bottom, with the numbers of the squares on the right.

    ``b`` and ``w`` are men, ``B`` and ``W`` kings, ``.`` empty dark squares.
    """
    lines = []
    for row in range(8):
        marks = []
        for square in range(4 * row, 4 * row + 4):
            mark = "b" if black >> square & 1 else "w" if white >> square & 1 else "."
            marks.append(mark.upper() if kings >> square & 1 else mark)
        numbers = " ".join(f"{square:2}" for square in range(4 * row + 1, 4 * row + 5))
        lines.append(
            ("  " if row % 2 == 0 else "") + "   ".join(marks) + (" " if row % 2 else "") * 2 + f"     {numbers}"
        )
    return "\n".join(lines)
