"""One game between two players that the experimenter trusts: no forfeits, no record, as fast as they allow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.chance import Chance
from arena.checkers.game import DEFAULT_RULES, Game
from arena.checkers.move import SIDES
from arena.episode import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.checkers.board import Board
    from arena.player import Player


def played(
    players: Sequence[Player],
    seed: int,
    number: int,
    *,
    board: Board | None = None,
    explore: Sequence[float] = (0.0, 0.0),
    random_plies: int = 0,
) -> Episode:
    """Game ``number`` of ``seed`` between fresh players of the black and the white pieces, from ``board`` or the start.

    ``explore``: the share of random moves of each; the first ``random_plies`` are all random. Where both players have
    a compiled form it is played by that, else move by move.
    """
    seats = [player.seat(side) for player, side in zip(players, SIDES, strict=True)]
    if None not in seats:
        from arena.search.selfplay import Games

        black, white = (
            replace(seat, explore=max(seat.explore, share))
            for seat, share in zip(seats, explore, strict=True)
            if seat is not None
        )
        return Games(black, white, random_plies=random_plies).play(seed, number, board)
    chance = Chance(seed, number)
    game = Game(board, DEFAULT_RULES, random=np.random.default_rng([seed, number]))
    explored = []
    for player in players:
        player.start(game.copy())
    while game.outcome is None:
        share = explore[game.side]
        left_to_chance = game.ply < random_plies or (share > 0 and chance.unit() < share)
        moves = game.board.legal_moves
        game.play(moves[chance.below(len(moves))] if left_to_chance else players[game.side].choose(game.copy()))
        explored.append(left_to_chance)
    return replace(Episode.of(game), explored=np.array(explored, dtype=bool))
