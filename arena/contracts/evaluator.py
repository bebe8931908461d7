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

    The function at ``address`` has the C signature ``int32 (uint32 own, uint32 opp, uint32 kings, int32 side,
    intp context)``. The board is relative to the side to move: own men move towards higher squares, and ``own``,
    ``opp`` and ``kings`` are rotated for White. The function returns the value for the side to move, strictly between
    -1,000,000 and 1,000,000.
    """

    address: int
    """Address of the compiled function (``arena.evaluator_kernel`` makes one)."""
    context: np.ndarray[Any, Any] | None = None
    """Contiguous array; the function gets the address of its data as ``context``."""
    scale: float = 1.0
    """Kernel units per unit of :meth:`Evaluator.evaluate`."""
    keepalive: object = None
    """Any other object that must live as long as the address is used."""

    def evaluate(self, board: Board) -> float:
        """Return the value of ``board`` for the side to move, in the evaluator's units."""
        function = KERNEL_TYPE(self.address)
        value: int = function(*board.relative, int(board.side), self.context_address)
        return value / self.scale

    @property
    def context_address(self) -> int:
        """The argument ``context`` of the function; 0 if there is no context."""
        return 0 if self.context is None else self.context.ctypes.data


class Evaluator(ABC):
    """Gives a board a value, without looking ahead.

    Options come from the constructor's signature, as those of a :class:`~arena.contracts.player.Player` do. In a
    search, the values of an evaluator in plain Python must lie within ±1000 and are rounded to 0.001. A kernel has its
    own scale.
    """

    @abstractmethod
    def evaluate(self, board: Board) -> float:
        """Return the value of ``board`` for the side to move, in the evaluator's own units."""

    def kernel(self) -> Kernel | None:
        """Return the same evaluator as a compiled function; None if it exists only in Python."""
        return None


class CompiledEvaluator(Evaluator):
    """An evaluator whose values all come from its kernel."""

    @abstractmethod
    def kernel(self) -> Kernel:
        """Return the compiled function. Later changes of the options have no effect on :meth:`evaluate`."""

    def evaluate(self, board: Board) -> float:
        """Return the kernel's value of ``board`` for the side to move, in the evaluator's own units."""
        return self._kernel.evaluate(board)

    @cached_property
    def _kernel(self) -> Kernel:
        return self.kernel()
