"""Turns step by step: moves as sequences of actions with fixed numbers, and positions as arrays.

Reinforcement learning needs a fixed set of actions. An action moves one piece by one step or one jump. It has the
number ``4 * square + direction``, 0 to 127. A capture of several pieces takes one action for each jump.

Squares and directions are as the side to move sees them. Square 0 is its square 1 (Black) or 32 (White). Directions: 0
forward left, 1 forward right, 2 backward left, 3 backward right.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.bitboard import JUMP, STEP
from arena.checkers.bits import rotated
from arena.checkers.move import SIDES, Side
from arena.errors import IllegalMove

if TYPE_CHECKING:
    from arena.checkers.board import Board
    from arena.checkers.move import Move

ACTIONS = 128
"""Number of actions."""
PLANES = (5, 8, 8)
"""Shape of :attr:`Turn.planes`."""
_ROWS = np.arange(32) // 4
_COLUMNS = 2 * (np.arange(32) % 4) + 1 - _ROWS % 2
_DIRECTION = {
    (square, int(table[direction, square])): direction
    for table in (STEP, JUMP)
    for direction in range(4)
    for square in range(32)
    if table[direction, square] >= 0
}
"""The direction of a step or jump, by its first and its last square."""


class Turn:
    """A turn in progress: the board before it, and the squares that the moving piece has visited so far."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.path: tuple[int, ...] = ()
        """Squares 1 to 32 that the piece has visited, its origin included; empty before the first action."""

    @property
    def actions(self) -> list[int]:
        """The legal actions, ascending; empty if the side to move has lost."""
        return sorted(self._following())

    @property
    def mask(self) -> np.ndarray:
        """Which actions are legal: int8, (128,), 0 or 1."""
        mask = np.zeros(ACTIONS, np.int8)
        mask[list(self._following())] = 1
        return mask

    @property
    def planes(self) -> np.ndarray:
        """The position as :attr:`Turn.board`'s side to move sees it; see :func:`planes_of`."""
        return planes_of(self.board, self.board.side, self.path)

    def step(self, action: int) -> Move | None:
        """Make an action. Returns the move if the turn is complete, else None.

        Raises IllegalMove if the action is not legal. The turn then stays as it is.
        """
        moves = self._following().get(int(action))
        if moves is None:
            raise IllegalMove(f"action {action} is not legal in {self.board.fen}; legal actions: {self.actions}")
        length = len(self.path) or 1
        self.path = moves[0].path[: length + 1]
        return moves[0] if moves[0].path == self.path else None

    def _following(self) -> dict[int, list[Move]]:
        """The moves that each legal action leaves possible."""
        length = len(self.path)
        following: dict[int, list[Move]] = {}
        for move in self.board.legal_moves:
            if move.path[:length] == self.path:
                following.setdefault(action_of(move, self.board.side, max(length - 1, 0)), []).append(move)
        return following


def action_of(move: Move, side: Side, number: int = 0) -> int:
    """Return the action of step or jump ``number`` of a move by ``side``; the first has the number 0."""
    start, end = (_seen(square, side) for square in move.path[number : number + 2])
    return 4 * start + _DIRECTION[start, end]


def actions_of(move: Move, side: Side) -> list[int]:
    """Return all actions of a move by ``side``."""
    return [action_of(move, side, number) for number in range(len(move.path) - 1)]


def planes_of(board: Board, side: Side, path: tuple[int, ...] = ()) -> np.ndarray:
    """Return a position as ``side`` sees it, also if it is not to move: float32, (5, 8, 8), 0 or 1.

    Planes: own men, own kings, enemy men, enemy kings, and the piece that must go on capturing. The second dimension is
    the row, from the own side on. The third is the column, from the left. ``path``: squares that the moving piece has
    visited in this turn. The piece stands on the last of them, and the pieces that it has jumped are gone.
    """
    mover = board.side
    black, white, kings = board.black, board.white, board.kings
    moving = 0
    if len(path) > 1:
        origin, moving = 1 << path[0] - 1, 1 << path[-1] - 1
        jumped = 0
        for start, end in pairwise(path):
            first, last = _seen(start, Side.BLACK), _seen(end, Side.BLACK)
            jumped |= 1 << int(STEP[_DIRECTION[first, last], first])
        crowned = kings & origin
        own, enemy = (black, white) if mover is Side.BLACK else (white, black)
        own, enemy = own & ~origin | moving, enemy & ~jumped
        kings = kings & ~origin & ~jumped | (moving if crowned else 0)
        black, white = (own, enemy) if mover is Side.BLACK else (enemy, own)
    own, enemy = (black, white) if side is Side.BLACK else (white, black)
    masks = [own & ~kings, own & kings, enemy & ~kings, enemy & kings, moving]
    if side is Side.WHITE:
        masks = [rotated(mask) for mask in masks]
    bits = np.array(masks, np.uint32)[:, None] >> np.arange(32, dtype=np.uint32) & 1
    planes = np.zeros(PLANES, np.float32)
    planes[:, _ROWS, _COLUMNS] = bits
    return planes


def _seen(square: int, side: Side) -> int:
    """Return the index, 0 to 31, of a square (1 to 32) as ``side`` sees it."""
    return 32 - square if side is SIDES[1] else square - 1
