"""The built-in opening books, registered as a plugin's are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.hookspecs import hookimpl
from arena.openings.three_move import ThreeMove

if TYPE_CHECKING:
    from arena.opening import OpeningBook

__all__ = ["ThreeMove", "register_openings"]


@hookimpl
def register_openings() -> dict[str, type[OpeningBook]]:
    """The book ``3move``."""
    return {"3move": ThreeMove}
