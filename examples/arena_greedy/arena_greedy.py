"""A player for Checkers Arena that takes as many pieces as it can."""

from __future__ import annotations

import arena


class Greedy(arena.Player):
    """Takes as many pieces as it can; of several such moves, the first."""

    def choose(self, game: arena.Game) -> arena.Move:
        return max(game.board.legal_moves, key=lambda move: len(move.captures))


@arena.hookimpl
def register_players() -> dict[str, type[arena.Player]]:
    return {"greedy": Greedy}
