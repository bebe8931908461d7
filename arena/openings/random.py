"""Openings of random moves."""

from __future__ import annotations

from typing import Annotated

from arena.checkers.board import Board
from arena.checkers.notation import move_text
from arena.checkers.splitmix64 import SplitMix64
from arena.contracts.opening import Opening, OpeningBook
from arena.plugins.options import Range


class RandomPlies(OpeningBook):
    """Openings of random moves from the initial position, all with different boards."""

    def __init__(
        self,
        plies: Annotated[int, Range(1, 40)] = 6,
        number: Annotated[int, Range(1, 1_000_000)] = 1000,
        seed: Annotated[int, Range(0, 2**63 - 1)] = 0,
    ) -> None:
        """``plies``: moves of an opening. ``number``: openings in the book. ``seed``: chooses the moves."""
        self.plies = plies
        self.number = number
        self.seed = seed

    def openings(self) -> tuple[Opening, ...]:
        """Return the openings, named by their moves.

        There are fewer than ``number`` if 20 * ``number`` random lines do not lead to that many different boards.
        """
        openings: dict[Board, Opening] = {}
        for number in range(20 * self.number):
            board, moves = self._line(SplitMix64(self.seed, number))
            if board.legal_moves and len(moves) == self.plies:
                openings.setdefault(board, Opening(" ".join(moves), moves))
            if len(openings) == self.number:
                break
        return tuple(openings.values())

    def _line(self, random: SplitMix64) -> tuple[Board, tuple[str, ...]]:
        """Return the board after random moves, and the moves; fewer than ``plies`` if the game ends before."""
        board = Board.start()
        moves: list[str] = []
        while len(moves) < self.plies and board.legal_moves:
            move = board.legal_moves[random.below(len(board.legal_moves))]
            moves.append(move_text(board, move))
            board = board.after(move)
        return board, tuple(moves)
