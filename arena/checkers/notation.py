"""Moves as PDN text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arena.errors import IllegalMove, shown

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.checkers.move import Move

LONGEST_MOVE = 100
"""Characters; a capture of twelve pieces with all its squares takes fewer than half of them."""
_MOVE = re.compile(r"\d{1,2}(?:\s*[-x:]\s*\d{1,2})+", re.IGNORECASE)


def move_text(board: Board, move: Move) -> str:
    """PDN text of a legal move: ``9-13``, ``9x18``, or the full path where another capture joins the same squares."""
    if not move.captures:
        return str(move)
    ends = move.path[0], move.path[-1]
    rivals = [other for other in board.legal_moves if (other.path[0], other.path[-1]) == ends]
    return f"{ends[0]}x{ends[1]}" if len(rivals) <= 1 else str(move)


def parse_move(board: Board, text: str) -> Move:
    """The legal move that ``text`` names; raises IllegalMove where it names none, or several
    that lead to different positions.

    Takes the squares of the whole path, or only some of them between origin and destination, joined by ``-``,
    ``x`` or ``:``.
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
    """The legal moves that ``squares``, at least two, can mean.

    The one of just that path, or else those that pass the squares; of several that lead to one position, the first.
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
    """Whether the squares are among the landings, in that order."""
    rest = iter(landings)
    return all(square in rest for square in squares)
