"""Moves as PDN text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arena.errors import IllegalMove, shown

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.checkers.move import Move

LONGEST_MOVE = 100
"""Maximum number of characters of a move; the longest capture, with all its squares, has fewer than half as many."""
_MOVE = re.compile(r"\d{1,2}(?:\s*[-x:]\s*\d{1,2})+", re.IGNORECASE)


def move_text(board: Board, move: Move) -> str:
    """Return the PDN text of a legal move: ``9-13`` or ``9x18``.

    A capture is written with its full path if another legal capture has the same origin and destination.
    """
    if not move.captures:
        return move._text
    same_ends = [other for other in board.legal_moves if other._short == move._short]
    return move._short if len(same_ends) <= 1 else move._text


def parse_move(board: Board, text: str) -> Move:
    """Return the legal move that ``text`` names.

    ``text`` is the origin, any of the squares between, and the destination, joined by ``-``, ``x`` or ``:``.
    Raises IllegalMove if it names no legal move, or several that lead to different positions.
    """
    text = text.strip()
    if len(text) > LONGEST_MOVE or not _MOVE.fullmatch(text):
        raise IllegalMove(f"{shown(text)} is not a move; moves read like 9-13, 9x18 or 9x18x25")
    squares = tuple(map(int, re.findall(r"\d+", text)))
    named = moves_named(board, squares)
    if len(named) == 1:
        return named[0]
    if named:
        raise IllegalMove(f"{text} is ambiguous: {' or '.join(map(str, named))}")
    legal = ", ".join(map(str, board.legal_moves)) or "none"
    raise IllegalMove(f"{text} is not legal in {board.fen}; legal moves: {legal}")


def moves_named(board: Board, squares: tuple[int, ...]) -> list[Move]:
    """Return the legal moves that ``squares`` (at least two) can mean.

    This is the move with exactly that path, if there is one; otherwise every move that visits the squares in that
    order. Of several moves that lead to the same position only the first is returned.
    """
    origin, *between, destination = squares
    matching = [move for move in board.legal_moves if move.path[0] == origin and move.path[-1] == destination]
    if between:
        matching = [move for move in matching if _visits(move.path[1:-1], between)]
    if len(matching) < 2:
        return matching
    exact = [move for move in matching if move.path == squares]
    distinct: dict[Board, Move] = {}
    for move in exact or matching:
        distinct.setdefault(board.after(move), move)
    return list(distinct.values())


def _visits(landings: tuple[int, ...], squares: list[int]) -> bool:
    """Whether ``squares`` is a subsequence of ``landings``."""
    rest = iter(landings)
    return all(square in rest for square in squares)
