"""The linear function of Mitchell, *Machine Learning* (1997), chapter 1: six counts and a constant."""

from __future__ import annotations

from typing import Annotated

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, can_capture, generate
from arena.checkers.bits import popcount, rotate

SHIPPED = arena.Model.shipped("arena_evaluators", "weights/lms.safetensors")
FEATURES = 7
_EVERYONE = -1
_LIMIT = 990_000
"""Limit of kernel values, slightly below the largest value that a kernel may return."""


def weights_of(model: arena.Model) -> np.ndarray:
    """Return w0..w6 of a model (float64, 7). Raises ModelError if it has none."""
    return model.require("lms", {"weights": (FEATURES,)})["weights"]


Weights = Annotated[arena.Model, arena.ModelKind("lms", weights_of)]
"""Type hint of an option for weights of this function."""


@arena.kernel
def capturable(own: int, opp: int, kings: int) -> int:
    """Return the mask of enemy pieces that the side to move could capture in some turn, whole chains included."""
    targets = 0
    if can_capture(own, opp, kings):
        moves = np.empty(MAX_MOVES, dtype=np.int64)
        for i in range(generate(own, opp, kings, moves, 0)):
            targets |= moves[i] >> 32
    return targets


@arena.kernel
def counts(own: int, opp: int, kings: int) -> tuple[int, int, int, int, int, int]:
    """Return x1..x6 from the point of view of ``own``, whichever side is to move."""
    return (
        popcount(own),
        popcount(opp),
        popcount(own & kings),
        popcount(opp & kings),
        popcount(capturable(rotate(opp), rotate(own), rotate(kings))),
        popcount(capturable(own, opp, kings)),
    )


@arena.kernel
def features(boards: np.ndarray, first: int, end: int, mirrored: bool) -> np.ndarray:
    """Return x0..x6 (float64, (n, 7)) of every second board from ``first`` to before ``end``.

    ``boards``: masks own, opp, kings for the side to move, int64, (plies, 3).

    x0 = 1. x1 and x2 are my and their pieces, kings included; x3 and x4 my and their kings; x5 my pieces that they
    could capture if it were their turn; x6 their pieces that I could capture if it were mine (Mitchell 1997). Whole
    capture chains count, which is our reading. "I" am the side to move, or the other side if ``mirrored``.
    """
    x = np.ones((max(0, (end - first + 1) // 2), FEATURES))
    for i in range(len(x)):
        own, opp, kings = boards[first + 2 * i]
        if mirrored:
            own, opp, kings = rotate(opp), rotate(own), rotate(kings)
        x[i, 1], x[i, 2], x[i, 3], x[i, 4], x[i, 5], x[i, 6] = counts(own, opp, kings)
    return x


def features_of(board: arena.Board, perspective: arena.Side) -> np.ndarray:
    """Return x0..x6 of ``board`` for the player of ``perspective`` (float64, 7); see :func:`features`."""
    seen: np.ndarray = features(np.array([board.relative]), 0, 1, board.side is not perspective)[0]
    return seen


@arena.evaluator_kernel
def _kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:
    weights = arena.context_array(context, 1 + FEATURES)
    sign = 1
    if weights[0] != _EVERYONE and weights[0] != side:
        own, opp, kings = rotate(opp), rotate(own), rotate(kings)
        sign = -1
    x1, x2, x3, x4, x5, x6 = counts(own, opp, kings)
    value = weights[1] + weights[2] * x1 + weights[3] * x2 + weights[4] * x3 + weights[5] * x4
    value += weights[6] * x5 + weights[7] * x6
    signed: int = sign * max(-_LIMIT, min(_LIMIT, value))
    return signed


def kernel_of(perspective: arena.Side | None, scale: float) -> arena.Kernel:
    """Return a kernel with zero weights that sees every board as ``perspective`` does (None: as the side to move).

    ``scale``: kernel units per unit of V̂. Values beyond the kernel's range of a million units are clipped.
    """
    context = np.zeros(1 + FEATURES, dtype=np.int64)
    context[0] = _EVERYONE if perspective is None else int(perspective)
    return arena.Kernel(_kernel.address, context, scale)


def put_weights(kernel: arena.Kernel, weights: np.ndarray) -> None:
    """Write ``weights`` (float64, 7) into a kernel of :func:`kernel_of`."""
    if kernel.context is None:
        raise ValueError("this kernel has no weights")
    kernel.context[1:] = np.rint(weights * kernel.scale)


class Linear(arena.CompiledEvaluator):
    """Weighs my and their pieces, kings and threatened pieces (Mitchell 1997)."""

    def __init__(self, weights: Weights = SHIPPED, perspective: arena.Side | None = None) -> None:
        """``perspective``: colour for which every board is evaluated; none: the side to move."""
        self.weights = weights
        self.perspective = perspective

    def kernel(self) -> arena.Kernel:
        """The compiled function. Its scale uses the kernel's whole range, so that distinct values stay distinct."""
        weights = weights_of(self.weights)
        largest = abs(weights[0]) + 12 * np.abs(weights[1:]).sum()
        kernel = kernel_of(self.perspective, _LIMIT / largest if largest > 0 else 1.0)
        put_weights(kernel, weights)
        return kernel
