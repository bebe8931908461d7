"""The contract of an opening book."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.checkers.board import Board
from arena.checkers.notation import parse_move

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Opening:
    """Moves from a position that both players of a pair of games are given."""

    name: str
    moves: tuple[str, ...] = ()
    """PDN move text of each ply, from ``fen``."""
    fen: str | None = None
    """Position to start from; None for the usual start."""

    def board(self) -> Board:
        """The board after its moves. Raises BadFEN and IllegalMove."""
        board = Board.start() if self.fen is None else Board.from_fen(self.fen)
        for text in self.moves:
            board = board.after(parse_move(board, text))
        return board


@dataclass(frozen=True, slots=True)
class Starts:
    """The boards that training games start from; after the last one follows the first again."""

    boards: tuple[Board, ...] = ()
    """Empty: every game starts from the usual start."""

    def of_game(self, number: int) -> Board | None:
        """The board that game ``number`` starts from, from 0; None for the usual start."""
        return self.boards[number % len(self.boards)] if self.boards else None


USUAL_START = Starts()


class OpeningBook(ABC):
    """A finite set of openings. Options come from the constructor's signature."""

    @abstractmethod
    def openings(self) -> Sequence[Opening]:
        """All openings, in a fixed order."""
