"""Finished games as input of a learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from arena.checkers.board import Board
from arena.checkers.move import SIDES, Side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.checkers.game import Game, Termination

_WINNERS = {"1-0": Side.BLACK, "0-1": Side.WHITE, "1/2-1/2": None}
_REVERSED = np.array([int(f"{byte:08b}"[::-1], 2) for byte in range(256)], dtype=np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Episode:
    """The boards of a finished game, its outcome, and what is known about its moves."""

    boards: np.ndarray[Any, Any]
    """Masks own, opp, kings of every position, the last included, as its side to move sees it (own men move towards
    higher squares): int64, (plies + 1, 3)."""
    winner: Side | None
    """None for a draw."""
    first: Side = Side.BLACK
    """Side to move on the first board."""
    learners: tuple[Side, ...] = SIDES
    """Sides from whose choices the learner learns; both sides in self-play."""
    explored: np.ndarray[Any, Any] | None = None
    """Whether each move was random: bool, (plies,). None if no move was random, or if it is unknown."""
    values: np.ndarray[Any, Any] | None = None
    """Value of each position by the mover's own search, in the mover's units; NaN if it did not search: float64,
    (plies,)."""
    leaves: np.ndarray[Any, Any] | None = None
    """The last board of the principal variation of the mover's own search: masks own, opp, kings as its side to move
    sees it, and the number of plies to it; the number is 0 if the mover did not search: int64, (plies, 4)."""
    labels: np.ndarray[Any, Any] | None = None
    """A teacher's expected result of each position for its side to move, from -1 (lost) to 1 (won); NaN if the teacher
    has no opinion: float64, (plies + 1,)."""
    better: Mapping[int, tuple[int, int, int]] | None = None
    """By ply, the board after the move that a teacher prefers to the move played: masks own, opp, kings as the side to
    move on that board sees it."""
    termination: Termination | None = None
    """Why the game ended; None if that is unknown."""

    @classmethod
    def of(cls, game: Game, learners: tuple[Side, ...] = SIDES) -> Self:
        """Return the episode of a game; raises ValueError if the game is not over."""
        outcome = game.outcome
        if outcome is None:
            raise ValueError("the game is not over")
        boards = np.array([board.relative for board in game.boards], dtype=np.int64)  # (plies + 1, 3)
        return cls(boards, outcome.winner, game.boards[0].side, learners, termination=outcome.termination)

    @classmethod
    def recorded(
        cls, boards: np.ndarray[Any, Any], first: Side, result: str, learners: tuple[Side, ...] = SIDES
    ) -> Self:
        """Return the episode of a recorded game.

        ``boards`` are the masks black, white, kings of successive positions (uint32, (plies + 1, 3)). ``first`` is the
        side to move on the first board. ``result`` is ``1-0`` Black won, ``0-1`` White won, or ``1/2-1/2``.
        """
        return cls(_relative(boards, first), _WINNERS[result], first, learners)

    @property
    def plies(self) -> int:
        """Number of moves."""
        return len(self.boards) - 1

    def side(self, ply: int) -> Side:
        """Return the side to move after ``ply`` moves."""
        return self.first.other if ply % 2 else self.first

    def result(self, side: Side) -> int:
        """Return 1 if ``side`` won, -1 if it lost, 0 for a draw."""
        return 0 if self.winner is None else 1 if self.winner is side else -1

    def board(self, ply: int) -> Board:
        """Return the position after ``ply`` moves."""
        return Board.seen_by(self.side(ply), *self.boards[ply].tolist())


def _relative(boards: np.ndarray[Any, Any], first: Side) -> np.ndarray[Any, Any]:
    """Return the masks (uint32, (n, 3)) of successive positions as the side to move sees them (int64)."""
    relative = boards.astype(np.int64)
    turned = _rotated(boards[1 - int(first) :: 2])
    relative[1 - int(first) :: 2] = turned[:, [1, 0, 2]]
    return relative


def _rotated(masks: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return every mask as seen from the other side of the board."""
    octets = np.ascontiguousarray(masks, dtype="<u4").view(np.uint8)
    return _REVERSED[octets].view(">u4").astype(np.int64)
