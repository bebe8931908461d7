"""First boards of training games: those of an opening book, in an order that follows from the run's seed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from arena.contracts.opening import USUAL_START, Starts
from arena.errors import ArenaError, UsageError
from arena.plugins import specs
from arena.tournament import schedule

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.contracts.opening import Opening


def starts(book: str | None, seed: int) -> Starts:
    """Return the boards of an opening book, in the order in which a tournament with the same seed uses them.

    ``book``: its spec; None for the usual start. Raises UsageError if the book is empty or games cannot start from one
    of its openings, and the errors of :func:`arena.plugins.specs.parse`.
    """
    if book is None:
        return USUAL_START
    spec = specs.parse("opening", book)
    openings = spec.create().openings()
    if not openings:
        raise UsageError(f"{spec.text} holds no openings")
    return Starts(tuple(_board(opening, spec.text) for opening in schedule.sample(openings, 2 * len(openings), seed)))


def hash_of(starts: Starts) -> str:
    """Return a hash of the boards, which depends on their order."""
    text = "\n".join(board.fen for board in starts.boards)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _board(opening: Opening, book: str) -> Board:
    try:
        board = opening.board()
    except ArenaError as error:
        raise UsageError(f"{book} holds the opening {opening.name!r}, which cannot be played: {error}") from None
    if not board.legal_moves:
        raise UsageError(f"{book} holds the opening {opening.name!r}, which leaves no legal move")
    return board
