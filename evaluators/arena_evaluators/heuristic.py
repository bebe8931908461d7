"""The evaluation of a student's minimax bot: captures, kings and positions of the pieces."""

from __future__ import annotations

from typing import Annotated

import numpy as np

import arena
from arena.checkers.bitboard import can_capture, jumpers, walkers
from arena.checkers.bits import lowest, popcount, rotate

KIND = "tuned"
SHIPPED = arena.Model.shipped("arena_evaluators", "weights/tuned.safetensors")
COEFFICIENTS = ("captured", "kings", "man_row", "king_centre", "mobility")
STOCK = np.array([10.0, 7.0, 1.0, 1.0, 0.0])
"""The report's coefficients, and ours if it gives none: float64, (5,)."""
_MOST_STEPS = 48
"""Upper bound of the first steps of a turn, with twelve kings."""


@arena.kernel
def _advanced(men: int) -> int:
    """Return the sum of the rows that the men have advanced; they start on the low squares."""
    rows = 0
    while men:
        rows += lowest(men) // 4
        men &= men - 1
    return rows


@arena.kernel
def _first_steps(own: int, opp: int, kings: int) -> int:
    """Return the number of first steps of the side to move; only jumps if it can capture."""
    steps = 0
    capture = can_capture(own, opp, kings)
    for direction in range(4):
        movers = jumpers(own, opp, kings, direction) if capture else walkers(own, opp, kings, direction)
        steps += popcount(movers)
    return steps


@arena.kernel
def _side_score(own: int, opp: int, kings: int, weights: np.ndarray) -> int:
    men = own & ~kings
    own_kings = own & kings
    score = weights[0] * (12 - popcount(opp)) + weights[1] * popcount(own_kings)
    score += weights[2] * _advanced(men) + weights[3] * popcount(own_kings & 0x00FFFF00)
    if weights[4]:
        score += weights[4] * _first_steps(own, opp, kings)
    total: int = score
    return total


@arena.evaluator_kernel
def _kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001  (the ABI)
    weights = arena.context_array(context, 5)
    mine = _side_score(own, opp, kings, weights)
    return mine - _side_score(rotate(opp), rotate(own), rotate(kings), weights)


@arena.kernel
def table(boards: np.ndarray) -> np.ndarray:
    """Return the features of the coefficients, own minus enemy: int64, (n, 5).

    ``boards``: masks own, opp, kings as the side to move sees them, int64, (n, 3).
    """
    units = np.eye(5).astype(np.int64)
    counts = np.empty((len(boards), 5), dtype=np.int64)
    for n in range(len(boards)):
        own, opp, kings = boards[n]
        for i in range(5):
            mine = _side_score(own, opp, kings, units[i])
            counts[n, i] = mine - _side_score(rotate(opp), rotate(own), rotate(kings), units[i])
    return counts


class Heuristic(arena.CompiledEvaluator):
    """Score = 10 * captured pieces + 7 * kings + position, own minus enemy.

    The student's report gives no numbers for the position. Here a man scores the rows it has advanced (0-6), and
    a king scores 1 on the four middle rows. ``mobility``, which the report tried and dropped, counts the steps with
    which each side could begin its turn. Coefficients have two decimals, or fewer if they are very large.
    """

    def __init__(
        self,
        captured: float = 10.0,
        kings: float = 7.0,
        man_row: float = 1.0,
        king_centre: float = 1.0,
        mobility: float = 0.0,
    ) -> None:
        """``captured``: worth of a captured piece. ``kings``: worth of a king, besides its worth as a piece.

        ``man_row``: worth of a row that a man has advanced. ``king_centre``: worth of a king on the four middle rows.

        ``mobility``: worth of a step with which a side could begin its turn.
        """
        self.captured = captured
        self.kings = kings
        self.man_row = man_row
        self.king_centre = king_centre
        self.mobility = mobility

    def kernel(self) -> arena.Kernel:
        """The compiled function; its unit is a hundredth."""
        return kernel_of(np.array([getattr(self, name) for name in COEFFICIENTS]))


def kernel_of(weights: np.ndarray) -> arena.Kernel:
    """Return a kernel for coefficients (float64, (5,)), in hundredths."""
    largest = np.abs(weights) @ [12, 12, 12 * 7, 12, _MOST_STEPS]
    scale = min(100.0, 0.99e6 / max(largest, 1.0))
    return arena.Kernel(_kernel.address, np.rint(weights * scale).astype(np.int64), scale)


def weights_of(model: arena.Model) -> np.ndarray:
    """Return the coefficients of a model (float64, (5,)). Raises ModelError if it has none."""
    return model.require(KIND, {"weights": (len(COEFFICIENTS),)})["weights"]


class Tuned(arena.CompiledEvaluator):
    """The minimax heuristic with coefficients that a learner tuned."""

    def __init__(self, weights: Annotated[arena.Model, arena.ModelKind(KIND, weights_of)] = SHIPPED) -> None:
        self.weights = weights

    def spec(self) -> str:
        """Return the same function as a spec: ``heuristic:captured=10:kings=…``."""
        pairs = zip(COEFFICIENTS, weights_of(self.weights).tolist(), strict=True)
        return ":".join(["heuristic", *(f"{name}={weight:.2f}" for name, weight in pairs)])

    def kernel(self) -> arena.Kernel:
        """The compiled function; its unit is a hundredth."""
        return kernel_of(weights_of(self.weights))
