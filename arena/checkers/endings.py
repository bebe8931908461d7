"""How the rules end a game, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.checkers.game import DrawRules, Termination
from arena.kernels.compiled import inline_kernel, kernel

if TYPE_CHECKING:
    import numpy as np

ENDINGS = (Termination.NO_MOVES, Termination.REPETITION, Termination.QUIET, Termination.PLY_CAP)
"""How a compiled game ends, by the number that stands for it."""
GOES_ON = -1
"""Stands for no ending."""
_NEVER = 2**40


def limits_of(rules: DrawRules) -> tuple[int, int, int]:
    """Repetitions, quiet plies and plies in all that end a game; a number out of reach where a rule is off."""
    return _limit(rules.repetitions), _limit(rules.quiet_plies), _limit(rules.ply_cap)


def _limit(number: int | None) -> int:
    return _NEVER if number is None else min(number, _NEVER)


@kernel
def _occurrences(rows: np.ndarray, ply: int, quiet: int) -> int:
    """How often the position in row ``ply`` stands in the last ``quiet + 1`` rows."""
    times = 1
    for past in range(ply - 4, ply - quiet - 1, -2):
        times += rows[past, 0] == rows[ply, 0] and rows[past, 1] == rows[ply, 1] and rows[past, 2] == rows[ply, 2]
    return times


@inline_kernel
def quiet_after(quiet: int, kings: int, move: int) -> int:
    """Successive moves of kings without a capture, once ``move`` is made after ``quiet`` of them.

    ``kings`` are those before the move.
    """
    return 0 if move >> 32 or not kings >> (move & 31) & 1 else quiet + 1


@inline_kernel
def ending_of(stuck: bool, rows: np.ndarray, ply: int, quiet: int, repetitions: int, quiet_plies: int, cap: int) -> int:
    """The number of the ending after ``ply`` plies, the last ``quiet`` of them without a capture or a man's move.

    ``rows`` has a row for each position, whose first three columns are its masks. See :func:`limits_of`.
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
