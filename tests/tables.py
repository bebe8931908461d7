"""Helpers to compare DataFrames with recorded games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from arena.contracts.record import GameRecord


def plain(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return the rows as tuples of plain values, with None for every kind of null."""
    columns = [[None if pd.isna(value) else value for value in frame[name].tolist()] for name in frame]
    return list(zip(*columns, strict=True))


def by_schedule(records: list[GameRecord]) -> list[GameRecord]:
    """Return the records sorted by pairing and round."""
    return sorted(records, key=lambda record: (record.pairing, record.round))
