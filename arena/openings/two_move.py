"""The two-move ballots."""

from __future__ import annotations

from arena.checkers.board import Board
from arena.checkers.notation import move_text
from arena.contracts.opening import Opening, OpeningBook

BARRED = {"9-14 21-17", "9-14 23-18", "10-14 21-17", "10-14 23-18", "11-16 23-19", "12-16 23-19"}


class TwoMove(OpeningBook):
    """The 43 playable two-move ballots: every pair of first moves except the six that lose a man."""

    def openings(self) -> tuple[Opening, ...]:
        """Return the ballots in the order of the squares of their moves, each named by its moves."""
        start = Board.start()
        pairs = [
            (move_text(start, first), move_text(start.after(first), second))
            for first in start.legal_moves
            for second in start.after(first).legal_moves
        ]
        return tuple(
            Opening(" ".join(pair), pair) for pair in sorted(pairs, key=_squares) if " ".join(pair) not in BARRED
        )


def _squares(pair: tuple[str, str]) -> list[int]:
    return [int(square) for text in pair for square in text.split("-")]
