"""The linear function of Mitchell, Machine Learning (1997), chapter 1: six counts and a constant."""

from __future__ import annotations

from typing import Annotated

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, can_capture, generate
from arena.checkers.bits import popcount, rotate

SHIPPED = arena.Model.shipped("arena_evaluators", "weights/lms.safetensors")
FEATURES = 7
_EVERYONE = -1


def weights_of(model: arena.Model) -> np.ndarray:
    """w0..w6 of a model (float64, 7); raises ModelError where it holds none."""
    return model.require("lms", {"weights": (FEATURES,)})["weights"]


Weights = Annotated[arena.Model, arena.Kind("lms", weights_of)]
"""The hint of an option that takes weights of this function."""


@arena.kernel
def capturable(own: int, opp: int, kings: int) -> int:
    """Enemy pieces that the side to move could capture, in one turn or another, whole chains included."""
    targets = 0
    if can_capture(own, opp, kings):
        moves = np.empty(MAX_MOVES, dtype=np.int64)
        for i in range(generate(own, opp, kings, moves, 0)):
            targets |= moves[i] >> 32
    return targets


@arena.kernel
def features(own: int, opp: int, kings: int) -> np.ndarray:
    """x0..x6 of a position as ``own`` sees it (int64, 7), whoever is to move."""
    threatened = popcount(capturable(rotate(opp), rotate(own), rotate(kings)))
    threatening = popcount(capturable(own, opp, kings))
    counts = popcount(own), popcount(opp), popcount(own & kings), popcount(opp & kings)
    return np.array([1, *counts, threatened, threatening])


@arena.evaluator_kernel
def _kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:
    weights = arena.context_array(context, 1 + FEATURES)
    sign = 1
    if weights[0] != _EVERYONE and weights[0] != side:
        own, opp, kings = rotate(opp), rotate(own), rotate(kings)
        sign = -1
    value = weights[1] + weights[2] * popcount(own) + weights[3] * popcount(opp)
    value += weights[4] * popcount(own & kings) + weights[5] * popcount(opp & kings)
    if weights[6]:
        value += weights[6] * popcount(capturable(rotate(opp), rotate(own), rotate(kings)))
    if weights[7]:
        value += weights[7] * popcount(capturable(own, opp, kings))
    signed: int = sign * value
    return signed


def features_of(board: arena.Board, perspective: arena.Side) -> np.ndarray:
    """x0..x6 of ``board`` for the player of one colour (float64, 7).

    x0 = 1; x1, x2 my and their pieces, kings included; x3, x4 my and their kings; x5 my pieces that they could
    capture if it were their turn, x6 theirs that I could, whole capture chains counted (Mitchell 1997; the
    chains are our reading).
    """
    return features(*board._replace(side=perspective).relative).astype(np.float64)


class Linear(arena.CompiledEvaluator):
    """Weighs my and their pieces, kings and threatened pieces (Mitchell 1997)."""

    def __init__(self, weights: Weights = SHIPPED, perspective: arena.Side | None = None) -> None:
        """``perspective``: the learner's colour, through whose eyes every board is seen; None: the mover's."""
        self.weights = weights
        self.perspective = perspective

    def kernel(self) -> arena.Kernel:
        """Compiled; the scale spreads the values over the kernel's range, so that distinct boards stay distinct."""
        weights = weights_of(self.weights)
        largest = abs(weights[0]) + 12 * np.abs(weights[1:]).sum()
        scale = 0.99e6 / largest if largest > 0 else 1.0
        context = np.empty(1 + FEATURES, dtype=np.int64)
        context[0] = _EVERYONE if self.perspective is None else int(self.perspective)
        context[1:] = np.rint(weights * scale)
        return arena.Kernel(_kernel.address, context, scale)
