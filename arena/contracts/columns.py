"""The binary columns of a game: little-endian numbers, one per ply, and what stands where there is none."""

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
    """How the values of one column are packed."""

    def __init__(self, typecode: str, none: Number) -> None:
        self.typecode = typecode
        """As in :mod:`array`; numpy reads the same letter after ``<``."""
        self.none: Number = none
        """What stands where there is no value."""
        self.gap = little_endian(array(typecode, [none]))
        """The bytes of a ply without a value."""

    def array_of(self, values: Iterable[Number | None] = ()) -> array[Number]:
        """The values in an array that more can be appended to."""
        return array(self.typecode, [self.none if value is None else value for value in values])

    def pack(self, values: Numbers) -> bytes | None:
        """An array of a number for each ply, as :meth:`array_of` makes one, as bytes; None where no ply has a value."""
        packed = little_endian(values)
        return None if packed == self.gap * len(values) else packed

    def unpack(self, packed: bytes | None, plies: int) -> tuple[Number | None, ...]:
        """The values of so many plies that :meth:`pack` made bytes of; raises ValueError for those of more or fewer."""
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
        """Whether the bytes can be those of so many plies."""
        return packed is None or len(packed) == len(self.gap) * plies


def little_endian(numbers: Numbers) -> bytes:
    """The bytes of an array, on any machine the same."""
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
BY_NAME: dict[str, PlyColumn[Any]] = {"scores": SCORES, "depths": DEPTHS, "nodes": NODES, "seconds": SECONDS}
"""As the columns of the store, and the fields of a record, are called."""
