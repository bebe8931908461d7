"""Machine instructions on 32-bit masks, for compiled code.

Masks are held in int64 variables with values below 2**32, so that no operation of Numba's changes their type.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_I32 = ir.IntType(32)
_I64 = ir.IntType(64)


def rotated(mask: int) -> int:
    """:func:`rotate` for the interpreter."""
    return int(f"{mask:032b}"[::-1], 2)


@intrinsic  # type: ignore[untyped-decorator]
def popcount(_context: Any, mask: Any) -> Any:
    """Number of pieces in a mask."""

    def codegen(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def lowest(_context: Any, mask: Any) -> Any:
    """Index (0-31) of the lowest square in a mask that is not empty."""

    def codegen(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]
def rotate(_context: Any, mask: Any) -> Any:
    """The mask seen from the other side of the board: square n becomes square 33 - n."""

    def codegen(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.zext(builder.bitreverse(builder.trunc(arguments[0], _I32)), _I64)

    return types.int64(types.int64), codegen
