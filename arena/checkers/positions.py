"""Positions as people write them."""

from __future__ import annotations

from arena.checkers.board import Board
from arena.errors import BadFEN, shown

_PIECES = {"0": (), "1": (0,), "3": (0, 2), "-1": (1,), "-3": (1, 2)}
"""The indices of the masks (black, white, kings) that a number for a square sets."""


def parse_position(text: str) -> Board:
    """Return the board of a FEN, of ``start``, or of 32 numbers, square 1 first, with Black to move.

    The numbers are 1 for a man and 3 for a king of the side to move, -1 and -3 for those of the other side, and 0 for
    an empty square. Raises BadFEN if the text is none of them.
    """
    text = text.strip()
    if text == "start":
        return Board.start()
    words = text.strip("[] ").replace(",", " ").split()
    if ":" in text or len(words) == 1:
        return Board.from_fen(text)
    if len(words) != 32 or not set(words) <= _PIECES.keys():
        raise BadFEN(f"{shown(text)} is not a position: write 32 numbers, each one of {', '.join(_PIECES)}")
    black, white, kings = (
        sum(1 << square for square, word in enumerate(words) if mask in _PIECES[word]) for mask in range(3)
    )
    try:
        return Board(black, white, kings)
    except ValueError as error:
        raise BadFEN(f"{shown(text)} is not a position: {error}") from None
