"""The binary columns of a game: one little-endian number per ply, with a reserved value for a missing number."""

from __future__ import annotations

import math
import sys
from array import array
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

    Numbers = array[Any] | np.ndarray[Any, Any]

Number = TypeVar("Number", int, float)


class PlyColumn(Generic[Number]):
    """The binary format of one column."""

    def __init__(self, typecode: str, none: Number) -> None:
        self.typecode = typecode
        """Type code of :mod:`array`; numpy's dtype is ``<`` and the same letter."""
        self.none: Number = none
        """The number that represents a missing value."""
        self.gap = little_endian(array(typecode, [none]))
        """The bytes of a missing value."""

    def array_of(self, values: Iterable[Number | None] = ()) -> array[Number]:
        """Return the values in an array to which more can be appended."""
        return array(self.typecode, [self.none if value is None else value for value in values])

    def pack(self, values: Numbers) -> bytes | None:
        """Return the bytes of an array with one number per ply; None if every value is missing."""
        packed = little_endian(values)
        return None if packed == self.gap * len(values) else packed

    def unpack(self, packed: bytes | None, plies: int) -> tuple[Number | None, ...]:
        """Return the values of packed bytes; raises ValueError if these are not the bytes of ``plies`` plies."""
        if packed is None:
            return (None,) * plies
        if not self.fits(packed, plies):
            raise ValueError(f"{len(packed)} bytes for {plies} plies")
        values: array[Number] = array(self.typecode, packed)
        if sys.byteorder == "big":
            values.byteswap()
        none = self.none
        return tuple([None if value == none or value != value else value for value in values])  # noqa: PLR0124 (NaN)

    def fits(self, packed: bytes | None, plies: int) -> bool:
        """Whether the bytes have the length of ``plies`` plies."""
        return packed is None or len(packed) == len(self.gap) * plies


def little_endian(numbers: Numbers) -> bytes:
    """Return the bytes of an array, in little-endian order on every machine."""
    packed = numbers.tobytes()
    if sys.byteorder == "big":
        swapped = array({2: "H", 4: "I", 8: "Q"}[numbers.itemsize], packed)
        swapped.byteswap()
        return swapped.tobytes()
    return packed


SCORES = PlyColumn("f", math.nan)
DEPTHS = PlyColumn("h", -1)
NODES = PlyColumn("q", -1)
SECONDS = PlyColumn("f", math.nan)
