"""Moves as a person names them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arena.checkers.notation import move_text, parse_move
from arena.errors import IllegalMove, shown

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.checkers.move import Move


def named_move(board: Board, text: str) -> Move:
    """Return the legal move that a person names by its squares: ``11-15``, ``22x15``, ``9x18x25``.

    Raises IllegalMove with the reason: the text is not a move, names several captures, or names a move that the rules
    do not allow.
    """
    try:
        return parse_move(board, text)
    except IllegalMove as error:
        reason = _reason(board, text.strip())
        if reason is None:
            raise
        raise IllegalMove(f"{shown(text.strip())[1:-1]} is not legal: {reason}") from error


def _reason(board: Board, text: str) -> str | None:
    """Return why the squares of a text are not a legal move; None if another message says more."""
    squares = [int(number) for number in re.findall(r"\d{1,2}", text)]
    if not re.fullmatch(r"\d{1,2}(\s*[-x:]\s*\d{1,2})+", text, re.IGNORECASE) or not board.legal_moves:
        return None
    legal, first, last = board.legal_moves, squares[0], squares[-1]
    if any((move.path[0], move.path[-1]) == (first, last) for move in legal) and len(squares) == 2:
        return None  # ambiguous
    if not all(1 <= square <= 32 for square in squares):
        return "the squares have the numbers 1 to 32"
    if not board[board.side] >> first - 1 & 1:
        return f"there is no {board.side} piece on {first}"
    own = [move_text(board, move) for move in legal if move.path[0] == first]
    if not own:
        texts = [move_text(board, move) for move in legal]
        return f"you must capture: {_listed(texts)}" if legal[0].captures else f"the piece on {first} cannot move"
    return f"the piece on {first} can move {_listed(own)}"


def _listed(texts: list[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"
