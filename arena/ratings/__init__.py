"""Built-in rating systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.plugins.hookspecs import hookimpl
from arena.ratings.davidson import Davidson
from arena.ratings.glicko2 import Glicko2

if TYPE_CHECKING:
    from arena.contracts.rating import Rating


@hookimpl
def register_ratings() -> dict[str, type[Rating]]:
    """Return the built-in rating systems by name."""
    return {"davidson": Davidson, "glicko2": Glicko2}
