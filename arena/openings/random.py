"""Openings of random moves."""

from __future__ import annotations

from typing import Annotated

from arena.checkers.board import Board
from arena.checkers.notation import move_text
from arena.checkers.splitmix64 import SplitMix64
from arena.contracts.opening import Opening, OpeningBook
from arena.plugins.options import Range


class RandomPlies(OpeningBook):
    """So many random plies from the start, as often as there are different boards to reach or openings wanted."""

    def __init__(
        self,
        plies: Annotated[int, Range(1, 40)] = 6,
        number: Annotated[int, Range(1, 1_000_000)] = 1000,
        seed: Annotated[int, Range(0, 2**63 - 1)] = 0,
    ) -> None:
        """``number``: how many there are in the book, all of them with different boards."""
        self.plies = plies
        self.number = number
        self.seed = seed

    def openings(self) -> tuple[Opening, ...]:
        """Named by their moves; fewer than wanted where hardly any new board turns up."""
        found: dict[Board, Opening] = {}
        for number in range(20 * self.number):
            board, moves = self._line(SplitMix64(self.seed, number))
            if board.legal_moves and len(moves) == self.plies:
                found.setdefault(board, Opening(" ".join(moves), moves))
            if len(found) == self.number:
                break
        return tuple(found.values())

    def _line(self, chance: SplitMix64) -> tuple[Board, tuple[str, ...]]:
        board = Board.start()
        moves: list[str] = []
        while len(moves) < self.plies and board.legal_moves:
            move = board.legal_moves[chance.below(len(board.legal_moves))]
            moves.append(move_text(board, move))
            board = board.after(move)
        return board, tuple(moves)
