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
    """Forced moves at the start of a game. The two games of a pair, with swapped colours, share an opening."""

    name: str
    moves: tuple[str, ...] = ()
    """PDN move text of each ply, from ``fen`` on."""
    fen: str | None = None
    """Position before the first move; None for the initial position."""

    def board(self) -> Board:
        """Return the board after the moves. Raises BadFEN and IllegalMove."""
        board = Board.start() if self.fen is None else Board.from_fen(self.fen)
        for text in self.moves:
            board = board.after(parse_move(board, text))
        return board


@dataclass(frozen=True, slots=True)
class Starts:
    """The first boards of training games, used in turn."""

    boards: tuple[Board, ...] = ()
    """If it is empty, every game starts from the initial position."""

    def of_game(self, number: int) -> Board | None:
        """Return the first board of game ``number`` (from 0); None for the initial position."""
        return self.boards[number % len(self.boards)] if self.boards else None


USUAL_START = Starts()


class OpeningBook(ABC):
    """A finite set of openings. Options come from the constructor's signature."""

    @abstractmethod
    def openings(self) -> Sequence[Opening]:
        """Return all openings, in a fixed order."""
