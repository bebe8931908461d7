"""The function of Melicher (2009): three weights, and the values of boards met before."""

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
"""Limit of the values computed from weights, in kernel units; remembered wins and losses lie beyond ± this."""
WON = 990_000
"""Value of a won board in the memory, in kernel units."""
DELAY = 100
"""Kernel units by which a remembered win loses value for each ply that it takes."""
TABLE, LENGTH, SEEN, TOTAL, PERSPECTIVE, NOVELTY, WEIGHTS = range(7)
"""Positions in a context: address and length of the memory's table, address of its counts, whether F2 is the total of
the kings, the learner's colour (-1: the mover's), the bonus for a board never met, c1 to c3 in kernel units."""

Use = Literal["both", "rote", "weights"]
"""Source of values: memory, and the weights for unknown boards; memory alone (unknown boards: 0); weights alone."""


@lru_cache(maxsize=4)
def tensors_of(model: arena.Model) -> Mapping[str, np.ndarray]:
    """Return weights and memory of a model.

    ``weights`` float64 (3,); ``scale`` float64 (): kernel units per unit of U; ``total`` int64 (): 1 if F2 is the total
    of the kings; the others: :meth:`RoteMemory.tensors`. Raises ModelError if a tensor is missing or wrong.
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
"""Type hint of an option for weights and memory of this function."""


@arena.kernel
def features(own: int, opp: int, kings: int, total: int) -> tuple[int, int, int]:
    """Return F1..F3 for ``own``: differences of pieces, kings and pieces on the border, own minus enemy.

    Kings count as pieces (ours). If ``total`` is not 0, F2 is the number of all kings.
    """
    pieces = popcount(own) - popcount(opp)
    mine, theirs = popcount(own & kings), popcount(opp & kings)
    border = popcount(own & BORDER) - popcount(opp & BORDER)
    return pieces, mine + theirs if total else mine - theirs, border


@arena.kernel
def weighed(own: int, opp: int, kings: int, side: int, header: np.ndarray) -> int:
    """Return the value computed from the weights, in kernel units for the side to move."""
    f1, f2, f3 = features(own, opp, kings, header[TOTAL])
    if header[TOTAL] and 0 <= header[PERSPECTIVE] != side:
        f2 = -f2
    value: int = header[WEIGHTS] * f1 + header[WEIGHTS + 1] * f2 + header[WEIGHTS + 2] * f3
    return min(max(value, -HIGHEST), HIGHEST)


@arena.kernel
def remembered(value: int) -> int:
    """Return the value to remember for a board with search value ``value``, in kernel units for the side to move.

    Proved wins rank above all values of the weights, sooner wins higher. So do wins that the search recalled from
    the memory.
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
    """Three weights for pieces, kings and the border, and a memory of boards met before (Melicher 2009)."""

    def __init__(self, weights: Weights = SHIPPED, use: Use = "both", perspective: arena.Side | None = None) -> None:
        """``use``: source of the values: memory, with the weights for unknown boards; memory alone, with 0 for unknown
        boards; or the weights alone.

        ``perspective``: the learner's colour, which matters only if F2 is a total; none: the side to move.
        """
        self.weights = weights
        self.use = use
        self.perspective = perspective

    def kernel(self) -> arena.Kernel:
        """The compiled function, with the model's scale."""
        tensors = tensors_of(self.weights)
        memory = None if self.use == "weights" else _memory_of(self.weights)
        context = context_of(memory, bool(tensors["total"]), self.perspective)
        scale = float(tensors["scale"])
        if self.use != "rote":
            context[WEIGHTS:] = in_kernel_units(tensors["weights"].copy(), scale)
        return arena.Kernel(rote_kernel.address, context, scale, keepalive=memory)


@lru_cache(maxsize=4)
def _memory_of(model: arena.Model) -> RoteMemory:
    """The memory of a model, shared by all players of the model; it must not be changed."""
    return RoteMemory.of(tensors_of(model))


def context_of(memory: RoteMemory | None, total: bool, perspective: arena.Side | None, novelty: int = 0) -> np.ndarray:
    """Return a context (int64) with weights of 0. The memory must outlive it."""
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
    """Return weights as whole kernel units, clipped to ±HIGHEST: int64."""
    units = np.empty(len(weights), dtype=np.int64)
    for i in range(len(weights)):
        units[i] = np.int64(np.rint(min(max(weights[i] * scale, -HIGHEST), HIGHEST)))
    return units
