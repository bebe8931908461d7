"""Plays one game in this process, without guards, forfeits or a record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.game import DEFAULT_RULES, Game
from arena.checkers.move import SIDES
from arena.checkers.splitmix64 import SplitMix64
from arena.contracts.episode import Episode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.checkers.board import Board
    from arena.contracts.player import Player


def played(
    players: Sequence[Player],
    seed: int,
    number: int,
    *,
    board: Board | None = None,
    explore: Sequence[float] = (0.0, 0.0),
    random_plies: int = 0,
) -> Episode:
    """Play game ``number`` of ``seed`` between fresh players of Black and White.

    ``board``: the first board; None: the usual start. ``explore``: the share of random moves of each player, 0 to 1.
    ``random_plies``: number of plies at the beginning that are random. If both players have a compiled form, compiled
    code plays the game.
    """
    compiled = [player.compiled(side) for player, side in zip(players, SIDES, strict=True)]
    if None not in compiled:
        from arena.search.selfplay import Games

        black, white = (
            replace(each, explore=max(each.explore, share))
            for each, share in zip(compiled, explore, strict=True)
            if each is not None
        )
        return Games(black, white, random_plies=random_plies).play(seed, number, board)
    chance = SplitMix64(seed, number)
    game = Game(board, DEFAULT_RULES, random=np.random.default_rng([seed, number]))
    explored = []
    for player in players:
        player.start(game.copy())
    while game.outcome is None:
        share = explore[game.side]
        is_random = game.ply < random_plies or (share > 0 and chance.unit() < share)
        moves = game.board.legal_moves
        game.play(moves[chance.below(len(moves))] if is_random else players[game.side].choose(game.copy()))
        explored.append(is_random)
    return replace(Episode.of(game), explored=np.array(explored, dtype=bool))
