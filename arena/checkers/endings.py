"""The rules that end a game, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.checkers.game import DrawRules, Termination
from arena.kernels.compiled import inline_kernel, kernel

if TYPE_CHECKING:
    import numpy as np

ENDINGS = (Termination.NO_MOVES, Termination.REPETITION, Termination.QUIET, Termination.PLY_CAP)
"""Endings of a compiled game; compiled code uses the index as the number of the ending."""
GOES_ON = -1
"""Result of :func:`ending_of` while the game is not over."""
_NEVER = 2**40


def limits_of(rules: DrawRules) -> tuple[int, int, int]:
    """Return the repetitions, quiet plies and total plies that end a game. The limit of a disabled rule is 2**40."""
    return _limit(rules.repetitions), _limit(rules.quiet_plies), _limit(rules.ply_cap)


def _limit(number: int | None) -> int:
    return _NEVER if number is None else min(number, _NEVER)


@kernel
def _occurrences(rows: np.ndarray, ply: int, quiet: int) -> int:
    """Number of times that the position in row ``ply`` occurs in the last ``quiet + 1`` rows."""
    times = 1
    for past in range(ply - 4, ply - quiet - 1, -2):
        times += rows[past, 0] == rows[ply, 0] and rows[past, 1] == rows[ply, 1] and rows[past, 2] == rows[ply, 2]
    return times


@inline_kernel
def quiet_after(quiet: int, kings: int, move: int) -> int:
    """Return the number of quiet plies after ``move``, given ``quiet``, their number before it.

    A quiet ply is a move of a king without a capture. ``kings`` is the mask before the move.
    """
    return 0 if move >> 32 or not kings >> (move & 31) & 1 else quiet + 1


@inline_kernel
def ending_of(stuck: bool, rows: np.ndarray, ply: int, quiet: int, repetitions: int, quiet_plies: int, cap: int) -> int:
    """Return the index into ENDINGS, or GOES_ON, after ``ply`` plies of which the last ``quiet`` were quiet.

    ``rows`` has a row for each position; its first three columns are the masks. :func:`limits_of` gives the limits
    ``repetitions``, ``quiet_plies`` and ``cap``.
    """
    if stuck:
        return 0
    if quiet >= 4 * (repetitions - 1) and _occurrences(rows, ply, quiet) >= repetitions:
        return 1
    if quiet >= quiet_plies:
        return 2
    if ply >= cap:
        return 3
    return GOES_ON
