"""The built-in opening books, registered in the same way as those of a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.openings.eleven_man import ElevenMan
from arena.openings.file import File
from arena.openings.random import RandomPlies
from arena.openings.three_move import ThreeMove
from arena.openings.two_move import TwoMove
from arena.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from arena.contracts.opening import OpeningBook

__all__ = ["ElevenMan", "File", "RandomPlies", "ThreeMove", "TwoMove", "register_openings"]


@hookimpl
def register_openings() -> dict[str, type[OpeningBook]]:
    """Return the opening books by name."""
    return {"3move": ThreeMove, "2move": TwoMove, "11man": ElevenMan, "random": RandomPlies, "file": File}
