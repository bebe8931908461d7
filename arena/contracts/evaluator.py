"""The contract of an evaluator."""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from arena.checkers.board import Board

KERNEL_TYPE = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_int32, ctypes.c_ssize_t
)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A compiled evaluator that the search calls by address.

    The function behind ``address`` has the C signature ``int32 (uint32 own, uint32 opp, uint32 kings,
    int32 side, intp context)``. Its board is relative to the side to move: own men go towards higher
    squares, and ``own``, ``opp`` and ``kings`` are rotated for White. It returns the value for the side to
    move, strictly between -1,000,000 and 1,000,000.
    """

    address: int
    """Address of the compiled function (``arena.evaluator_kernel`` makes one)."""
    context: np.ndarray[Any, Any] | None = None
    """Contiguous array whose data address is passed as ``context``; kept alive by this object."""
    scale: float = 1.0
    """Kernel units per unit of :meth:`Evaluator.evaluate`."""
    keepalive: object = None
    """Whatever else must outlive the address."""

    def evaluate(self, board: Board) -> float:
        """The value of ``board`` for the side to move, in the evaluator's units."""
        function = KERNEL_TYPE(self.address)
        value: int = function(*board.relative, int(board.side), self.context_address)
        return value / self.scale

    @property
    def context_address(self) -> int:
        """What the search passes as ``context``; 0 where there is none."""
        return 0 if self.context is None else self.context.ctypes.data


class Evaluator(ABC):
    """Gives a board a value, without looking ahead.

    Options come from the constructor's signature, as a player's do. In a search, values of an evaluator in plain
    Python must lie within ±1000 and are told apart to 0.001; a kernel chooses its own scale.
    """

    @abstractmethod
    def evaluate(self, board: Board) -> float:
        """The value of ``board`` in the evaluator's own units, for the side to move."""

    def kernel(self) -> Kernel | None:
        """The same numbers as a compiled function; None where there is only Python."""
        return None


class CompiledEvaluator(Evaluator):
    """An evaluator that is a kernel, for Python too."""

    @abstractmethod
    def kernel(self) -> Kernel:
        """The compiled function with the options that the evaluator has when this is first asked for."""

    def evaluate(self, board: Board) -> float:
        """The kernel's value of ``board`` in the evaluator's own units, for the side to move."""
        return self._kernel.evaluate(board)

    @cached_property
    def _kernel(self) -> Kernel:
        return self.kernel()
