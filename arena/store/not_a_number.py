"""Storing NaN as null in PostgreSQL, as SQLite does. This module needs psycopg."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.types.numeric import FloatBinaryDumper, FloatDumper

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.abc import Buffer


class _Text(FloatDumper):
    def dump(self, obj: Any) -> Buffer | None:
        return None if obj != obj else super().dump(obj)  # noqa: PLR0124 (NaN is not equal to itself)


class _Binary(FloatBinaryDumper):
    def dump(self, obj: Any) -> Buffer | None:
        return None if obj != obj else super().dump(obj)  # noqa: PLR0124


def store_as_null(connection: Connection[Any], _: Any) -> None:
    """Make a connection store NaN as null."""
    for kind in (float, "numpy.float64"):
        for dumper in (_Binary, _Text):  # the last one is used where both are possible
            connection.adapters.register_dumper(kind, dumper)
