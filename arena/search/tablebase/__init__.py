"""Endgame tables: the exact value of every position with up to six pieces."""

from __future__ import annotations

from arena.search.tablebase.probing import DRAW, LOST_NOW, NOT_IN_TABLES, probe
from arena.search.tablebase.slices import FEWEST, MOST, Slice, groups, split
from arena.search.tablebase.statistics import Statistics
from arena.search.tablebase.tablebase import DEFAULT_PIECES, Tablebase, TableValue

__all__ = [
    "DEFAULT_PIECES",
    "DRAW",
    "FEWEST",
    "LOST_NOW",
    "MOST",
    "NOT_IN_TABLES",
    "Slice",
    "Statistics",
    "TableValue",
    "Tablebase",
    "groups",
    "probe",
    "split",
]
