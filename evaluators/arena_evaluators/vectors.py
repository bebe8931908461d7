"""Vectors of sixteen float32 numbers, for compiled code.

LLVM compiles the operations for the processor: one AVX-512 register, two of AVX, four of SSE or NEON.
An address is an int64. It need not be aligned, but a multiple of :data:`BYTES` is faster.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from llvmlite import ir

import arena

if TYPE_CHECKING:
    from collections.abc import Callable

LANES = 16
BYTES = 4 * LANES
_I32 = ir.IntType(32)
_FLOAT = ir.FloatType()
_FLOATS = ir.VectorType(_FLOAT, LANES)
_ZERO = ir.Constant(_FLOATS, [0.0] * LANES)
_FMA = f"llvm.fma.v{LANES}f32"


_VECTOR = f"float32x{LANES}"


@cache
def _type(name: str) -> Any:
    """Return Numba's type of this name, or the vector type."""
    from numba import types
    from numba.extending import models, register_model

    if name != _VECTOR:
        return getattr(types, name)

    class Vector(types.Type):
        pass

    @register_model(Vector)
    class _VectorModel(models.PrimitiveModel):
        def __init__(self, manager: Any, vector: Any) -> None:
            super().__init__(manager, vector, _FLOATS)  # type: ignore[no-untyped-call]

    return Vector(name)


def _instruction(emit: Callable[..., Any], result: str, *arguments: str) -> Callable[..., Any]:
    """Return a compiled function of the instructions that ``emit(builder, *arguments)`` emits."""

    def codegen(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        return emit(builder, *values)

    def made() -> Any:
        return _type(result)(*map(_type, arguments)), codegen

    typings = (lambda _: made(), lambda _, _a: made(), lambda _, _a, _b: made(), lambda _, _a, _b, _c: made())
    return arena.instruction(typings[len(arguments)])


def _load(builder: Any, address: Any) -> Any:
    return builder.load(builder.inttoptr(address, _FLOATS.as_pointer()), align=4)


def _store(builder: Any, address: Any, vector: Any) -> Any:
    builder.store(vector, builder.inttoptr(address, _FLOATS.as_pointer()), align=4)
    return address


def _broadcast(builder: Any, address: Any) -> Any:
    number = builder.load(builder.inttoptr(address, _FLOAT.as_pointer()))
    lane = builder.insert_element(_ZERO, number, _I32(0))
    return builder.shuffle_vector(lane, _ZERO, ir.Constant(ir.VectorType(_I32, LANES), [0] * LANES))


def _multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    contract = ("contract",)  # one instruction on processors that have it
    return builder.fadd(builder.fmul(a, b, flags=contract), c, flags=contract)


def _fused_multiply_add(builder: Any, a: Any, b: Any, c: Any) -> Any:
    module = builder.module
    intrinsic = module.globals.get(_FMA) or ir.Function(module, ir.FunctionType(_FLOATS, [_FLOATS] * 3), _FMA)
    return builder.call(intrinsic, [a, b, c])


def _relu(builder: Any, vector: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", vector, _ZERO), vector, _ZERO)


def _total(builder: Any, vector: Any) -> Any:
    half = LANES // 2
    while half:
        mask = ir.Constant(ir.VectorType(_I32, LANES), [(lane + half) % LANES for lane in range(LANES)])
        vector = builder.fadd(vector, builder.shuffle_vector(vector, _ZERO, mask))
        half //= 2
    return builder.extract_element(vector, _I32(0))


load = _instruction(_load, _VECTOR, "int64")
"""Return the vector at an address."""
store = _instruction(_store, "int64", "int64", _VECTOR)
"""Write a vector to an address; return the address."""
broadcast = _instruction(_broadcast, _VECTOR, "int64")
"""Return a vector with the number at an address in all lanes."""
zero = _instruction(lambda _: _ZERO, _VECTOR)
"""Return a vector of zeros."""
add = _instruction(lambda builder, a, b: builder.fadd(a, b), _VECTOR, _VECTOR, _VECTOR)
"""Return the sum of two vectors, lane by lane."""
multiply_add = _instruction(_multiply_add, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
"""Return ``a * b + c``, lane by lane."""
fused_multiply_add = _instruction(_fused_multiply_add, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
"""Return ``a * b + c``, lane by lane, rounded once on every processor."""
relu = _instruction(_relu, _VECTOR, _VECTOR)
"""Return the vector with negative lanes set to 0."""
total = _instruction(_total, "float32", _VECTOR)
"""Return the sum of all lanes."""
