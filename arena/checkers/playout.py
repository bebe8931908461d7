"""Random games, compiled, for Monte-Carlo values and training data.

The same seed gives the same games on every machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.bitboard import MAX_MOVES, generate, make
from arena.checkers.endings import GOES_ON, ending_of, limits_of, quiet_after
from arena.checkers.game import DEFAULT_RULES, DrawRules, Game
from arena.checkers.move import MOVES
from arena.checkers.splitmix64 import GAMMA, below, stream
from arena.kernels.compiled import kernel

if TYPE_CHECKING:
    from arena.checkers.board import Board


@kernel
def _play(
    own: int,
    opp: int,
    kings: int,
    state: np.uint64,
    repetitions: int,
    quiet_plies: int,
    cap: int,
    work: np.ndarray,
    rows: np.ndarray,
) -> tuple[int, int]:
    """Play one game and return its number of plies and its ending, an index into ENDINGS.

    The moves are written to ``work`` (int64, room for plies + MAX_MOVES). ``rows`` (int64, three columns) is scratch
    space for the positions.
    """
    quiet = 0
    ply = 0
    while True:
        count = generate(own, opp, kings, work, ply)
        rows[ply, 0], rows[ply, 1], rows[ply, 2] = own, opp, kings
        end = ending_of(count == 0, rows, ply, quiet, repetitions, quiet_plies, cap)
        if end != GOES_ON:
            return ply, end
        state += GAMMA
        move = work[ply + below(state, count)]
        work[ply] = move
        quiet = quiet_after(quiet, kings, move)
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
    """Play the games from number ``first`` on, one for each row (plies, ending) of ``ends``.

    Returns the moves of the last game.
    """
    work = np.empty(cap + MAX_MOVES, dtype=np.int64)
    rows = np.empty((cap + 1, 3), dtype=np.int64)
    plies = 0
    for i in range(len(ends)):
        plies, end = _play(own, opp, kings, stream(seed, first + i), repetitions, quiet_plies, cap, work, rows)
        ends[i, 0] = plies
        ends[i, 1] = end
    return work[:plies]


def _run(board: Board, seed: int, first: int, rules: DrawRules, ends: np.ndarray) -> np.ndarray:
    if rules.ply_cap is None:
        raise ValueError("random games need a ply cap")
    return _play_many(*board.relative, seed, first, *limits_of(rules), ends)


def random_games(board: Board, games: int, seed: int, rules: DrawRules = DEFAULT_RULES) -> np.ndarray:
    """Play ``games`` games from ``board`` in which all legal moves are equally likely; return (games, 2) int64.

    Column 0 is the number of plies, column 1 the ending as an index into ENDINGS. If the ending is "no moves", the
    side to move has lost. ``seed`` is 0 to 2**63 - 1. Raises ValueError if the rules have no ply cap.
    """
    ends = np.zeros((games, 2), dtype=np.int64)  # (games, 2)
    _run(board, seed, 0, rules, ends)
    return ends


def random_game(board: Board, seed: int, number: int = 0, rules: DrawRules = DEFAULT_RULES) -> Game:
    """Return game ``number`` (from 0) of those that :func:`random_games` plays with the same seed."""
    game = Game(board, rules)
    for code in _run(board, seed, number, rules, np.zeros((1, 2), dtype=np.int64)).tolist():
        game.play(MOVES[game.side][code])
    return game
