"""The built-in formats of tournaments, registered in the same way as those of a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.formats.gauntlet import Gauntlet
from arena.formats.knockout import Knockout
from arena.formats.round_robin import RoundRobin
from arena.formats.swiss import Swiss
from arena.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from arena.contracts.format import Format

__all__ = ["Gauntlet", "Knockout", "RoundRobin", "Swiss", "register_formats"]


@hookimpl
def register_formats() -> dict[str, type[Format]]:
    """Return the formats by name."""
    return {"round-robin": RoundRobin, "gauntlet": Gauntlet, "swiss": Swiss, "knockout": Knockout}
