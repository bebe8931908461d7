"""The player of random moves."""

from __future__ import annotations

import arena


class Random(arena.Player):
    """Plays a random legal move, all with the same probability."""

    def choose(self, game: arena.Game) -> arena.Move:
        moves = game.board.legal_moves
        return moves[game.random.integers(len(moves))]

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer | None:  # noqa: ARG002  (the same for both)
        return arena.RANDOM_MOVES
