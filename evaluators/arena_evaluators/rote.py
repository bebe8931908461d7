"""What Melicher's program (2009) learns: three weights, and the values of boards met before."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

import arena
from arena.checkers.bits import popcount
from arena.search.values import DECIDED, WIN
from arena_evaluators.memory import WORDS, RoteMemory, find

if TYPE_CHECKING:
    from collections.abc import Mapping

SHIPPED = arena.Model.shipped("arena_evaluators", "weights/td.safetensors")
FEATURES = 3
BORDER = 0xF818181F
"""Squares on the four border lines."""
HIGHEST = 900_000
"""What the weights say is held within ± this many kernel units; remembered wins and losses lie beyond."""
WON = 990_000
"""Kernel units that a board is remembered with that is won."""
DELAY = 100
"""Kernel units by which a remembered win is worth less for each ply that it takes."""
TABLE, LENGTH, SEEN, TOTAL, PERSPECTIVE, NOVELTY, WEIGHTS = range(7)
"""The numbers of a context: address and length of the memory's table, address of its counts, whether F2 is the total
of the kings, the learner's colour (-1: the mover's), the bonus for a board never met, c1 to c3 in kernel units."""

Use = Literal["both", "rote", "weights"]
"""What values boards: the weights where memory has none, memory alone (unknown boards: 0), or the weights alone."""


@lru_cache(maxsize=4)
def tensors_of(model: arena.Model) -> Mapping[str, np.ndarray]:
    """Weights and memory of a model.

    ``weights`` float64 (3,); ``scale`` float64 (): kernel units to a unit of U; ``total`` int64 (): 1 where F2 is the
    total of the kings; the rest: :meth:`RoteMemory.tensors`. Raises ModelError where it does not hold them.
    """
    single: dict[str, tuple[int | None, ...]] = {"weights": (FEATURES,), "scale": (), "total": (), "capacity": ()}
    tensors = model.require("td", {**single, "boards": (None, 3), "tried": (None, 3)})
    n = len(tensors["boards"])
    for name in ("scale", "capacity"):
        if not tensors[name] > 0:
            raise arena.ModelError(f"{name} of {model} is {tensors[name]}, not a number above 0")
    model.require("td", {"values": (n,), "visits": (n,)})
    if n and not (np.abs(tensors["values"].astype(np.int64)) <= WON).all():
        raise arena.ModelError(f"values of {model} lie beyond ±{WON}")
    if len(tensors["tried"]) and tensors["tried"][:, 0].max() >= n:
        raise arena.ModelError(f"tried of {model} names boards that it does not hold")
    return tensors


Weights = Annotated[arena.Model, arena.ModelKind("td", tensors_of)]
"""The hint of an option that takes weights and memory of this function."""


@arena.kernel
def features(own: int, opp: int, kings: int, total: int) -> tuple[int, int, int]:
    """F1..F3 as ``own`` sees them: difference of pieces, of kings, of pieces on the border, mine minus theirs.

    Kings count as pieces (ours). F2 is the number of all kings where ``total`` is not 0.
    """
    pieces = popcount(own) - popcount(opp)
    mine, theirs = popcount(own & kings), popcount(opp & kings)
    border = popcount(own & BORDER) - popcount(opp & BORDER)
    return pieces, mine + theirs if total else mine - theirs, border


@arena.kernel
def weighed(own: int, opp: int, kings: int, side: int, header: np.ndarray) -> int:
    """What the weights say, in kernel units for the side to move."""
    f1, f2, f3 = features(own, opp, kings, header[TOTAL])
    if header[TOTAL] and 0 <= header[PERSPECTIVE] != side:
        f2 = -f2
    value: int = header[WEIGHTS] * f1 + header[WEIGHTS + 1] * f2 + header[WEIGHTS + 2] * f3
    return min(max(value, -HIGHEST), HIGHEST)


@arena.kernel
def remembered(value: int) -> int:
    """What a board is remembered with to which a search gave ``value``, both in kernel units for the side to move.

    Wins that were proved stand above all that the weights can say, the sooner the higher; so do wins that the search
    itself only remembered.
    """
    size = abs(value)
    if size > DECIDED:
        size = WON - DELAY * (WIN - size)
    elif size > HIGHEST:
        size = max(size - DELAY, HIGHEST + 1)
    return size if value > 0 else -size


@arena.evaluator_kernel
def rote_kernel(own: int, opp: int, kings: int, side: int, context: int) -> int:
    header = arena.context_array(context, WEIGHTS + FEATURES)
    entry = -1
    if header[LENGTH]:
        table = arena.context_array(header[TABLE], header[LENGTH])
        entry = find(own, opp, kings, table)
    value = table[WORDS * entry + 1] >> 32 if entry >= 0 else weighed(own, opp, kings, side, header)
    if header[NOVELTY]:
        met = arena.context_array(header[SEEN], header[LENGTH])[2 * entry] if entry >= 0 else 0
        bonus = header[NOVELTY] // (1 + met)
        value += bonus if header[PERSPECTIVE] == side else -bonus
        value = min(max(value, -WON), WON)
    return value


class Rote(arena.CompiledEvaluator):
    """Weighs pieces, kings and the border, and recalls the values of boards met before (Melicher 2009)."""

    def __init__(self, weights: Weights = SHIPPED, use: Use = "both", perspective: arena.Side | None = None) -> None:
        """``use``: values come from memory and, where it has none, from the weights; or from one of them alone.

        ``perspective``: the learner's colour, which only matters where F2 is a total; None: the mover's.
        """
        self.weights = weights
        self.use = use
        self.perspective = perspective

    def kernel(self) -> arena.Kernel:
        """Compiled; distinct boards stay distinct by the model's scale."""
        tensors = tensors_of(self.weights)
        memory = None if self.use == "weights" else _memory_of(self.weights)
        context = context_of(memory, bool(tensors["total"]), self.perspective)
        scale = float(tensors["scale"])
        if self.use != "rote":
            context[WEIGHTS:] = in_kernel_units(tensors["weights"].copy(), scale)
        return arena.Kernel(rote_kernel.address, context, scale, keepalive=memory)


@lru_cache(maxsize=4)
def _memory_of(model: arena.Model) -> RoteMemory:
    """To be read alone: those who play with the same model share it."""
    return RoteMemory.of(tensors_of(model))


def context_of(memory: RoteMemory | None, total: bool, perspective: arena.Side | None, novelty: int = 0) -> np.ndarray:
    """A context (int64) with weights of 0; the memory must outlive it."""
    context = np.zeros(WEIGHTS + FEATURES, dtype=np.int64)
    context[TOTAL] = total
    context[PERSPECTIVE] = -1 if perspective is None else int(perspective)
    context[NOVELTY] = novelty
    if memory is not None:
        context[TABLE], context[LENGTH] = memory.table.ctypes.data, len(memory.table)
        context[SEEN] = memory.seen.ctypes.data
    return context


@arena.kernel
def in_kernel_units(weights: np.ndarray, scale: float) -> np.ndarray:
    """Weights as whole kernel units, within ±HIGHEST: int64."""
    units = np.empty(len(weights), dtype=np.int64)
    for i in range(len(weights)):
        units[i] = np.int64(np.rint(min(max(weights[i] * scale, -HIGHEST), HIGHEST)))
    return units
