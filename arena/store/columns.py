"""The binary columns of a game: little-endian numbers, one per ply, and what stands where there is none."""

from __future__ import annotations

import math
import sys
from array import array
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class PlyColumn:
    """How the values of one column are packed."""

    def __init__(self, typecode: str, none: float) -> None:
        self.typecode = typecode
        """As in :mod:`array`; numpy reads the same letter after ``<``."""
        self._none = none
        self.gap = self._bytes([none])
        """The bytes of a ply without a value."""

    def pack(self, values: Sequence[float | None]) -> bytes | None:
        """``values`` as bytes; None where no ply has one. Raises OverflowError where one does not fit."""
        none = self._none
        packed = self._bytes([none if value is None else value for value in values])
        return None if packed == self.gap * len(values) else packed

    def unpack(self, packed: bytes | None, plies: int) -> tuple[float | None, ...]:
        """The values of so many plies that :meth:`pack` made bytes of."""
        if packed is None:
            return (None,) * plies
        values = array(self.typecode, packed)
        if sys.byteorder == "big":
            values.byteswap()
        return tuple(None if value == self._none or value != value else value for value in values)  # noqa: PLR0124 (NaN)

    def _bytes(self, values: Sequence[float]) -> bytes:
        packed = array(self.typecode, values)
        if sys.byteorder == "big":
            packed.byteswap()
        return packed.tobytes()


SCORES = PlyColumn("f", math.nan)
DEPTHS = PlyColumn("h", -1)
NODES = PlyColumn("q", -1)
SECONDS = PlyColumn("f", math.nan)
