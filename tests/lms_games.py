"""Games, weights and learners for the tests of LMS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import arena
from arena_evaluators.linear import features_of
from arena_learners.lms import LMS
from positions import random_game

W = np.array([0.5, 1.0, -1.0, 2.0, -0.5, -1.0, 1.5])


def boards_learned(
    game: arena.Game, learner: arena.Side, after_own_move: bool, final: bool = False
) -> list[arena.Board]:
    """Return the boards of the examples: those after the learner's moves or on its turns, and the last if ``final``."""
    to_move = learner.other if after_own_move else learner
    boards = list(enumerate(game.boards[:-1]))
    chosen = [board for ply, board in boards if board.side is to_move and (ply > 0 or not after_own_move)]
    return [*chosen, game.boards[-1]] if final else chosen


def corrected(seed: int) -> tuple[arena.Episode, arena.Board, arena.Board]:
    """Return a game with one correction, the better board and the board reached. The two differ in their features."""
    game = random_game(seed)
    for ply, (board, move) in enumerate(zip(game.boards, game.moves, strict=False)):
        for other in board.legal_moves:
            better, reached = board.after(other), board.after(move)
            if (features_of(better, board.side) != features_of(reached, board.side)).any():
                episode = arena.Episode.of(game, learners=(board.side,))
                return replace(episode, better={ply: better.relative}), better, reached
    raise AssertionError


def fresh_learner(seed: int = 1, **options: Any) -> LMS:
    learner = LMS(**options)
    learner.begin(seed)
    return learner
