"""Random games, compiled: for Monte-Carlo values, for data, for speed.

A game follows from its seed on any machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.bitboard import MAX_MOVES, generate, make
from arena.checkers.chance import GAMMA, below, stream
from arena.checkers.game import DEFAULT_RULES, DrawRules, Game, Termination
from arena.checkers.move import MOVES
from arena.compiled import kernel

if TYPE_CHECKING:
    from arena.checkers.board import Board

ENDINGS = (Termination.NO_MOVES, Termination.REPETITION, Termination.QUIET, Termination.PLY_CAP)
"""How a compiled game ends, by the number that stands for it."""
_NEVER = 2**40


@kernel
def _occurrences(past: np.ndarray, quiet: int) -> int:
    """How often the last of ``quiet + 1`` positions, a row of ``past`` each, stands there."""
    times = 1
    for i in range(quiet - 4, -1, -2):
        times += past[i, 0] == past[quiet, 0] and past[i, 1] == past[quiet, 1]
    return times


@kernel
def _play(
    own: int,
    opp: int,
    kings: int,
    state: np.uint64,
    repetitions: int,
    quiet_plies: int,
    work: np.ndarray,
    past: np.ndarray,
) -> tuple[int, int]:
    """Play to the end; the moves go to ``work`` (int64, room for MAX_MOVES more). Returns plies and ending.

    ``past`` (int64, two columns) is scratch space for as many positions as moves; so many plies are the cap.
    """
    quiet = 0
    ply = 0
    while True:
        count = generate(own, opp, kings, work, ply)
        if count == 0:
            return ply, 0
        past[quiet, 0] = own | opp << 32
        past[quiet, 1] = kings
        if quiet >= 4 * (repetitions - 1) and _occurrences(past, quiet) >= repetitions:
            return ply, 1
        if quiet >= quiet_plies:
            return ply, 2
        if ply >= len(past) - 1:
            return ply, 3
        state += GAMMA
        move = work[ply + below(state, count)]
        work[ply] = move
        quiet = 0 if move >> 32 or not kings >> (move & 31) & 1 else quiet + 1
        own, opp, kings = make(own, opp, kings, move)
        ply += 1


@kernel
def _play_many(
    own: int,
    opp: int,
    kings: int,
    seed: int,
    first: int,
    repetitions: int,
    quiet_plies: int,
    cap: int,
    ends: np.ndarray,
) -> np.ndarray:
    """Play games number ``first``, ... and fill in (plies, ending), a row of ``ends`` each; the moves of the last."""
    work = np.empty(cap + MAX_MOVES, dtype=np.int64)
    past = np.empty((cap + 1, 2), dtype=np.int64)
    plies = 0
    for i in range(len(ends)):
        plies, ending = _play(own, opp, kings, stream(seed, first + i), repetitions, quiet_plies, work, past)
        ends[i, 0] = plies
        ends[i, 1] = ending
    return work[:plies]


def _run(board: Board, seed: int, first: int, rules: DrawRules, ends: np.ndarray) -> np.ndarray:
    if rules.ply_cap is None:
        raise ValueError("random games need a ply cap")
    repetitions = _NEVER if rules.repetitions is None else rules.repetitions
    quiet_plies = _NEVER if rules.quiet_plies is None else rules.quiet_plies
    return _play_many(*board.relative, seed, first, repetitions, quiet_plies, rules.ply_cap, ends)


def random_games(board: Board, games: int, seed: int, rules: DrawRules = DEFAULT_RULES) -> np.ndarray:
    """Play ``games`` random games from ``board``, each legal move as likely as the others: a row of int64 for each.

    Column 0 is the number of plies, column 1 the ending as an index into ENDINGS; after no moves the side that is to
    move has lost. ``seed``: 0 to 2**63 - 1. Raises ValueError for rules without a ply cap.
    """
    ends = np.zeros((games, 2), dtype=np.int64)  # (games, 2)
    _run(board, seed, 0, rules, ends)
    return ends


def random_game(board: Board, seed: int, number: int = 0, rules: DrawRules = DEFAULT_RULES) -> Game:
    """Game ``number`` (from 0) of those that :func:`random_games` plays with the same seed, move by move."""
    game = Game(board, rules)
    for code in _run(board, seed, number, rules, np.zeros((1, 2), dtype=np.int64)).tolist():
        game.play(MOVES[game.side][code])
    return game
