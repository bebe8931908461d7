"""Ten counts of a board and their score: the rules of thumb that the neural Q-model starts from.

The Q-model's tutorial builds on a small public checkers library, whose ``get_metrics`` is written out here for
bitboards. A board is seen by one side, ``own``, whose men go up from row 0 to row 7 of its own view:

- capped: 12 - enemy pieces
- potential: own moves - enemy moves, whoever is to move; only jumps where there are any, each jump of a chain counting
- men, kings: own - enemy
- caps: enemy pieces off the border without a fellow on any of the four squares around, minus the same of ours
- semicaps: 12 - our safe pieces - our pieces without a fellow around, off the border
- uncaps: our safe pieces - theirs; safe is who stands on the border, or has two fellows around on one side of it
- mid: pieces on rows 3-4, far: pieces on rows 5-7, each side's own view, own - enemy
- won: -1 where we have no move (or no piece), else 1 where they have none, else 0
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
"""What each counts in the score: int64, (10,)."""
_BORDER = 0xF818181F
_MIDDLE = 0x000FF000
_FAR = 0xFFF00000


def layers_of(model: arena.Model) -> list[tuple[np.ndarray, np.ndarray]]:
    """Weights (inputs, units) and biases (units,) of each layer of a network on the ten metrics; raises ModelError."""
    return network_of(model, KIND, (len(NAMES),))


@arena.kernel
def _steps(own: int, opp: int, kings: int) -> int:
    """Quiet moves where there is no capture, else the jumps that captures are made of, common beginnings once."""
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
    """How many stand off the border without a fellow on any square around."""
    around = shift(pieces, 0) | shift(pieces, 1) | shift(pieces, 2) | shift(pieces, 3)
    return popcount(pieces & ~around & ~_BORDER)


@arena.kernel
def _safe(pieces: int) -> int:
    """How many stand on the border, or have two fellows around who are not opposite each other."""
    a, b, c, d = shift(pieces, 0), shift(pieces, 1), shift(pieces, 2), shift(pieces, 3)
    return popcount(pieces & (_BORDER | (a | d) & (b | c)))


@arena.kernel
def metrics(own: int, opp: int, kings: int) -> np.ndarray:
    """The ten metrics of a board as ``own`` sees it, whoever is to move: int64, (10,)."""
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
    """The weighted sum of the metrics as ``own`` sees them."""
    found = metrics(own, opp, kings)
    total = 0
    for i in range(len(found)):
        total += found[i] * WEIGHTS[i]
    return total


@arena.kernel
def table(boards: np.ndarray) -> np.ndarray:
    """The metrics of many boards (int64, (n, 3): own, opp, kings): float32, (n, 10)."""
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
    """Score of ten rules of thumb, from which the neural Q-model sets out.

    4 capped + potential + men + 3 kings + caps + 2 semicaps + 3 uncaps + 2 mid + 3 far + 100 won. It is not
    the same from both sides; as in its source the player who has just moved is the one who looks.
    """

    def kernel(self) -> arena.Kernel:
        """Compiled, in whole points."""
        return arena.Kernel(_kernel.address)


class MetricsNetwork(arena.Evaluator):
    """Asks a network how likely the ten metrics of a board are to win: the neural Q-model's first stage.

    Its weights are a model of kind ``qmetrics`` with the tensors ``w0``, ``b0``, ``w1`` and so on: relu in the hidden
    layers, one output, the logit of the probability that the side to move wins.
    """

    def __init__(self, weights: Annotated[arena.Model, arena.ModelKind(KIND, layers_of)]) -> None:
        self.weights = weights

    def evaluate(self, board: arena.Board) -> float:
        """The logit for the side to move."""
        return float(forward(self._layers, table(np.array([board.relative])))[0])

    @cached_property
    def _layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        return layers_of(self.weights)
