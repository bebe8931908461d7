"""Machine instructions on 32-bit masks, for compiled code.

Masks are int64 values below 2**32: Numba keeps that type through every operation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llvmlite import ir

from arena.kernels.compiled import instruction

if TYPE_CHECKING:
    from collections.abc import Callable

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)
_UNDEFINED_AT_ZERO = ir.Constant(ir.IntType(1), 1)
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def rotated(mask: int) -> int:
    """Return the rotated mask; the interpreter's version of :data:`rotate`."""
    return int.from_bytes(mask.to_bytes(4, "little").translate(_REVERSED), "big")


def _instruction(emit: Callable[[Any, Any], Any]) -> Callable[[int], int]:
    """Return a compiled function of one int64 whose body is the code that ``emit(builder, value)`` emits."""

    def codegen(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return emit(builder, arguments[0])

    def typing(_context: Any, _mask: Any) -> Any:
        from numba import types

        return types.int64(types.int64), codegen

    return instruction(typing)


popcount = _instruction(lambda builder, mask: builder.ctpop(mask))
"""Number of pieces in a mask."""
lowest = _instruction(lambda builder, mask: builder.cttz(mask, _UNDEFINED_AT_ZERO))
"""Index (0-31) of the lowest square in a mask; undefined for an empty mask."""
rotate = _instruction(lambda builder, mask: builder.zext(builder.bitreverse(builder.trunc(mask, _I32)), _I64))
"""The mask as seen from the other side of the board: square n becomes square 33 - n."""
