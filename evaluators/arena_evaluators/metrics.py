"""Ten counts of a board and their score: the rules of thumb with which the neural Q-model starts.

The Q-model's tutorial uses ``get_metrics`` of a small public checkers library. This module computes the same on
bitboards. A board is seen by one side, ``own``, whose men move from row 0 to row 7 of its own view:

- capped: 12 - enemy pieces
- potential: own moves - enemy moves, whichever side is to move; if a side can jump, only its jumps count, each jump of
  a chain
- men, kings: own - enemy
- caps: lone enemy pieces - lone own pieces. A lone piece is off the border and has no piece of its side on the four
  squares around it
- semicaps: 12 - own safe pieces - own lone pieces
- uncaps: own safe pieces - enemy safe pieces. A safe piece is on the border, or has two pieces of its side around it
  that are not opposite each other
- mid: pieces on rows 3-4, far: pieces on rows 5-7, in each side's own view, own - enemy
- won: -1 if own has no move (or no piece), else 1 if the enemy has none, else 0
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, generate, shift
from arena.checkers.bits import popcount, rotate
from arena_evaluators.neural import forward, network_of

KIND = "qmetrics"
NAMES = ("capped", "potential", "men", "kings", "caps", "semicaps", "uncaps", "mid", "far", "won")
"""The ten metrics in their order."""
WEIGHTS = np.array([4, 1, 1, 3, 1, 2, 3, 2, 3, 100])
"""The coefficient of each metric in the score: int64, (10,)."""
_BORDER = 0xF818181F
_MIDDLE = 0x000FF000
_FAR = 0xFFF00000


def layers_of(model: arena.Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weights (inputs, units) and biases (units,) of each layer of a network on the ten metrics.

    Raises ModelError if the model holds no such network.
    """
    return network_of(model, KIND, (len(NAMES),))


@arena.kernel
def _steps(own: int, opp: int, kings: int) -> int:
    """Return the number of quiet moves, or of single jumps if there is a capture; shared first jumps count once."""
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    count = generate(own, opp, kings, moves, 0)
    if count == 0 or not moves[0] >> 32:
        return count
    jumps = 0
    for i in range(count):
        common = 0
        if i and (moves[i] ^ moves[i - 1]) & 31 == 0:
            while (moves[i] ^ moves[i - 1]) >> (14 + 2 * common) & 3 == 0:
                common += 1
        jumps += (moves[i] >> 10 & 15) - common
    return jumps


@arena.kernel
def _alone(pieces: int) -> int:
    """Return the number of lone pieces."""
    around = shift(pieces, 0) | shift(pieces, 1) | shift(pieces, 2) | shift(pieces, 3)
    return popcount(pieces & ~around & ~_BORDER)


@arena.kernel
def _safe(pieces: int) -> int:
    """Return the number of safe pieces."""
    a, b, c, d = shift(pieces, 0), shift(pieces, 1), shift(pieces, 2), shift(pieces, 3)
    return popcount(pieces & (_BORDER | (a | d) & (b | c)))


@arena.kernel
def metrics(own: int, opp: int, kings: int) -> np.ndarray:
    """Return the ten metrics of a board for ``own``, whichever side is to move: int64, (10,)."""
    their_own, their_opp, their_kings = rotate(opp), rotate(own), rotate(kings)
    moves, their_moves = _steps(own, opp, kings), _steps(their_own, their_opp, their_kings)
    own_kings, opp_kings = popcount(own & kings), popcount(opp & kings)
    own_pieces, opp_pieces = popcount(own), popcount(opp)
    alone, safe = _alone(own), _safe(own)
    return np.array(
        [
            12 - opp_pieces,
            moves - their_moves,
            own_pieces - own_kings - opp_pieces + opp_kings,
            own_kings - opp_kings,
            _alone(opp) - alone,
            12 - safe - alone,
            safe - _safe(opp),
            popcount(own & _MIDDLE) - popcount(opp & _MIDDLE),
            popcount(own & _FAR) - popcount(their_own & _FAR),
            -1 if moves == 0 else int(their_moves == 0),
        ]
    )


@arena.kernel
def score(own: int, opp: int, kings: int) -> int:
    """Return the weighted sum of the metrics for ``own``."""
    found = metrics(own, opp, kings)
    total = 0
    for i in range(len(found)):
        total += found[i] * WEIGHTS[i]
    return total


@arena.kernel
def table(boards: np.ndarray) -> np.ndarray:
    """Return the metrics of boards (own, opp, kings; int64, (n, 3)): float32, (n, 10)."""
    rows = np.empty((len(boards), 10), np.float32)
    for i in range(len(boards)):
        found = metrics(boards[i, 0], boards[i, 1], boards[i, 2])
        for j in range(len(found)):
            rows[i, j] = found[j]
    return rows


@arena.evaluator_kernel
def _kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001  (the ABI)
    return -score(rotate(opp), rotate(own), rotate(kings))


class Metrics(arena.CompiledEvaluator):
    """Score of ten rules of thumb, with which the neural Q-model starts.

    4 capped + potential + men + 3 kings + caps + 2 semicaps + 3 uncaps + 2 mid + 3 far + 100 won. The score is not
    antisymmetric. As in its source, it is computed for the player that has just moved.
    """

    def kernel(self) -> arena.Kernel:
        """The compiled function; its unit is a point."""
        return arena.Kernel(_kernel.address)


class MetricsNetwork(arena.Evaluator):
    """Estimates the probability to win from the ten metrics of a board: the neural Q-model's first stage.

    The weights are a model of kind ``qmetrics`` with the tensors ``w0``, ``b0``, ``w1`` and so on. The hidden layers
    are relu. The one output is the logit of the probability that the side to move wins.
    """

    def __init__(self, weights: Annotated[arena.Model, arena.ModelKind(KIND, layers_of)]) -> None:
        self.weights = weights

    def evaluate(self, board: arena.Board) -> float:
        """Return the logit for the side to move."""
        return float(forward(self._layers, table(np.array([board.relative])))[0])

    @cached_property
    def _layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return layers_of(self.weights)
