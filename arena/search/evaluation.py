"""The interface between evaluators and the compiled search: the address of a function, and a context."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from arena.checkers.board import Board
from arena.contracts.evaluator import KERNEL_TYPE, Kernel
from arena.errors import ArenaError
from arena.kernels.compiled import instruction
from arena.search.values import VALUE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.evaluator import Evaluator

PYTHON_SCALE = 1000.0
"""Kernel units per unit of an evaluator in plain Python."""

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)


def _call(_typing: Any, _address: Any, _own: Any, _opp: Any, _kings: Any, _side: Any, _context: Any) -> Any:
    from numba import types

    signature = types.int64(*[types.int64] * 6)

    def codegen(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        function_type = ir.FunctionType(_I32, [_I32, _I32, _I32, _I32, _I64])
        function = builder.inttoptr(arguments[0], function_type.as_pointer())
        narrow = [builder.trunc(argument, _I32) for argument in arguments[1:5]]
        return builder.sext(builder.call(function, [*narrow, arguments[5]]), _I64)

    return signature, codegen


call_evaluator: Callable[[int, int, int, int, int, int], int] = instruction(_call)
"""Call the evaluator kernel at an address and return its value.

Arguments: address, own, opp, kings, side, context (all int64).
"""


def _call_without_arguments(_typing: Any, _address: Any) -> Any:
    from numba import types

    def codegen(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        function = builder.inttoptr(arguments[0], ir.FunctionType(_I32, []).as_pointer())
        return builder.sext(builder.call(function, []), _I64)

    return types.int64(types.int64), codegen


call_pulse: Callable[[int], int] = instruction(_call_without_arguments)
"""Call the C function ``int32 ()`` at an address and return its result."""


class EvaluatorError(ArenaError):
    """The value of an evaluator is outside the range of the search."""


class PythonKernel:
    """Wraps an evaluator in plain Python as a kernel. :meth:`raise_error` raises the evaluator's first exception."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self.error: BaseException | None = None
        """The first exception that the evaluator raised, or None. After an exception every value is 0."""
        self._callback = KERNEL_TYPE(self._call)
        address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0
        self.kernel = Kernel(address, scale=PYTHON_SCALE, keepalive=self)

    def raise_error(self) -> None:
        """Raise the exception that the evaluator raised since the last call, if there is one."""
        error, self.error = self.error, None
        if error is not None:
            raise error

    def _call(self, own: int, opp: int, kings: int, side: int, _context: int) -> int:
        if self.error is not None:
            return 0
        try:
            value = float(self._evaluator.evaluate(Board.seen_by(side, own, opp, kings)))
            if not abs(value) * PYTHON_SCALE < VALUE_LIMIT:
                limit = VALUE_LIMIT / PYTHON_SCALE
                raise EvaluatorError(f"{type(self._evaluator).__name__} gave {value}; values lie within ±{limit:g}")
            return round(value * PYTHON_SCALE)
        except BaseException as error:  # an exception cannot propagate through compiled code
            self.error = error
            return 0
