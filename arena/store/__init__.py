"""The database: an SQLite file or a PostgreSQL database.

:class:`Store` writes to it. :class:`Results` reads from it into DataFrames; it is imported, with pandas, on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.store.recorder import Recorder
from arena.store.store import Store
from arena.store.tournaments import PlayerIdentity, StoredTournament

if TYPE_CHECKING:
    from arena.store.results import Results

__all__ = ["PlayerIdentity", "Recorder", "Results", "Store", "StoredTournament"]


def __getattr__(name: str) -> Any:
    if name == "Results":
        from arena.store.results import Results

        return Results
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
