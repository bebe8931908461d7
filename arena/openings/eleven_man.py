"""The eleven-man ballots."""

from __future__ import annotations

from importlib.resources import files

from arena.checkers.board import Board
from arena.contracts.opening import Opening, OpeningBook


class ElevenMan(OpeningBook):
    """The 2253 sound eleven-man ballots: each side lacks one man and makes one move (Gilbert)."""

    def openings(self) -> tuple[Opening, ...]:
        """Return the openings in the order of Gilbert's deck, named by the squares of the missing men and the moves."""
        lines = (files(__package__) / "eleven_man.tsv").read_text("utf-8").splitlines()
        return tuple(_opening(*line.split("\t")) for line in lines[1:])


def _opening(black: str, white: str, moves: str) -> Opening:
    start = Board.start()
    board = Board(start.black & ~(1 << int(black) - 1), start.white & ~(1 << int(white) - 1))
    return Opening(f"-{black} -{white} {moves}", tuple(moves.split()), board.fen)
