"""The binary columns of a game: little-endian numbers, one per ply, and what stands where there is none."""

from __future__ import annotations

import math
import sys
from array import array
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence


Number = TypeVar("Number", int, float)


class PlyColumn(Generic[Number]):
    """How the values of one column are packed."""

    def __init__(self, typecode: str, none: Number) -> None:
        self.typecode = typecode
        """As in :mod:`array`; numpy reads the same letter after ``<``."""
        self._none: Number = none
        self.gap = self._bytes([none])
        """The bytes of a ply without a value."""

    # The plies of the opening have no values and, mostly, all others have one: that is done without a look at each.

    def pack(self, values: Sequence[Number | None]) -> bytes | None:
        """``values`` as bytes; None where no ply has one. Raises OverflowError where one does not fit."""
        silent = sum(1 for _ in takewhile(_is_none, values))
        if silent == len(values):
            return None
        try:
            packed = self._bytes(values[silent:])  # type: ignore[arg-type]
        except TypeError:
            packed = self._bytes([self._none if value is None else value for value in values[silent:]])
        return self.gap * silent + packed

    def unpack(self, packed: bytes | None, plies: int) -> tuple[Number | None, ...]:
        """The values of so many plies that :meth:`pack` made bytes of; raises ValueError for those of more or fewer."""
        if packed is None:
            return (None,) * plies
        if not self.fits(packed, plies):
            raise ValueError(f"{len(packed)} bytes for {plies} plies")
        size, start = len(self.gap), 0
        while packed.startswith(self.gap, start):
            start += size
        packed = packed[start:]
        values = array(self.typecode, packed)
        if sys.byteorder == "big":
            values.byteswap()
        told: tuple[Number | None, ...] = tuple(values)
        if self.gap in packed:
            none = self._none
            told = tuple([None if value == none or value != value else value for value in values])  # noqa: PLR0124 (NaN)
        return (None,) * (start // size) + told

    def fits(self, packed: bytes | None, plies: int) -> bool:
        """Whether the bytes can be those of so many plies."""
        return packed is None or len(packed) == len(self.gap) * plies

    def _bytes(self, values: Sequence[Number]) -> bytes:
        packed = array(self.typecode, values)
        if sys.byteorder == "big":
            packed.byteswap()
        return packed.tobytes()


def _is_none(value: object) -> bool:
    return value is None


SCORES = PlyColumn("f", math.nan)
DEPTHS = PlyColumn("h", -1)
NODES = PlyColumn("q", -1)
SECONDS = PlyColumn("f", math.nan)
BY_NAME: dict[str, PlyColumn[Any]] = {"scores": SCORES, "depths": DEPTHS, "nodes": NODES, "seconds": SECONDS}
"""As the columns of the store, and the fields of a record, are called."""
