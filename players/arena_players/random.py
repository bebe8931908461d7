"""A player without a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import arena

if TYPE_CHECKING:
    from arena.seat import Seat


class Random(arena.Player):
    """Plays any legal move, each as likely as the next."""

    def choose(self, game: arena.Game) -> arena.Move:
        moves = game.board.legal_moves
        return moves[game.random.integers(len(moves))]

    def seat(self, side: arena.Side) -> Seat | None:  # noqa: ARG002  (the same for both)
        from arena.seat import RANDOM

        return RANDOM
