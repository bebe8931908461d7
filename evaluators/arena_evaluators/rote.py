"""What Melicher's program (2009) learns: three weighted differences, and a memory of boards met before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.checkers.bits import popcount

if TYPE_CHECKING:
    from collections.abc import Mapping

SHIPPED = arena.Model.shipped("arena_evaluators", "weights/td.safetensors")
FEATURES = 3
BORDER = 0xF818181F
"""Squares on the four border lines."""
_HEADER = 4


def tensors_of(model: arena.Model) -> Mapping[str, np.ndarray]:
    """Weights (float64, 3) and memory of a model; raises ModelError where it does not hold them."""
    tensors = model.require("td", {"weights": (FEATURES,), "boards": (None, 3), "values": (None,)})
    return model.require("td", {"boards": (len(tensors["values"]), 3)})


Weights = Annotated[arena.Model, arena.Kind("td", tensors_of)]
"""The hint of an option that takes weights and memory of this function."""


@arena.kernel
def features(own: int, opp: int, kings: int) -> tuple[int, int, int]:
    """F1..F3 as ``own`` sees them: difference of pieces, of kings, of pieces on the border, mine minus theirs."""
    pieces = popcount(own) - popcount(opp)
    crowned = popcount(own & kings) - popcount(opp & kings)
    return pieces, crowned, popcount(own & BORDER) - popcount(opp & BORDER)


@arena.kernel
def slot(own: int, opp: int, kings: int, table: np.ndarray) -> int:
    """Index of the entry of a board in ``table``, or of the empty entry where it belongs.

    ``table`` is int64; an entry is two numbers: own | opp << 32 (0: empty) and kings | value << 32. The number
    of entries is a power of two.
    """
    mask = len(table) // 2 - 1
    key = own | opp << 32
    mixed = (key ^ kings * 0x2545F4914F6CDD1D) * 0x1E3779B97F4A7C15
    entry = (mixed >> 33) & mask
    while table[2 * entry] != 0 and (table[2 * entry] != key or table[2 * entry + 1] & 0xFFFFFFFF != kings):
        entry = (entry + 1) & mask
    return 2 * entry


@arena.kernel
def fill(table: np.ndarray, boards: np.ndarray, values: np.ndarray) -> None:
    """Enter boards (int64, (n, 3): own, opp, kings) with their values (int64, n) into an empty ``table``."""
    for i in range(len(boards)):
        own, opp, kings = boards[i]
        entry = slot(own, opp, kings, table)
        table[entry] = own | opp << 32
        table[entry + 1] = kings | values[i] << 32


@arena.evaluator_kernel
def _kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001  (the ABI)
    header = arena.context_array(context, _HEADER)
    if header[0]:
        table = arena.context_array(context, _HEADER + header[0])[_HEADER:]
        entry = slot(own, opp, kings, table)
        if table[entry] != 0:
            recalled: int = table[entry + 1] >> 32
            return recalled
    pieces, crowned, border = features(own, opp, kings)
    value: int = header[1] * pieces + header[2] * crowned + header[3] * border
    return value


class Rote(arena.CompiledEvaluator):
    """Weighs pieces, kings and the border, and recalls the values of boards met before (Melicher 2009)."""

    def __init__(self, weights: Weights = SHIPPED, memory: bool = True) -> None:
        """``memory``: whether values are recalled; without it the three weights stand alone."""
        self.weights = weights
        self.memory = memory

    def kernel(self) -> arena.Kernel:
        """Compiled; the scale spreads the values over the kernel's range."""
        tensors = tensors_of(self.weights)
        coefficients, values = tensors["weights"], tensors["values"]
        largest = max(12 * np.abs(coefficients).sum(), np.abs(values).max(initial=0.0))
        scale = 0.99e6 / largest if largest > 0 else 1.0
        entries = 2 ** int(np.ceil(np.log2(2 * len(values)))) if self.memory and len(values) else 0
        context = np.zeros(_HEADER + 2 * entries, dtype=np.int64)
        context[0] = 2 * entries
        context[1:_HEADER] = np.rint(coefficients * scale)
        if entries:
            fill(context[_HEADER:], tensors["boards"].astype(np.int64), np.rint(values * scale).astype(np.int64))
        return arena.Kernel(_kernel.address, context, scale)
