"""When a game is drawn, and what its players may spend. This module loads without NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

AtLeastOne = Annotated[int, Meta(ge=1)]


@dataclass(frozen=True, slots=True)
class DrawRules:
    """When a game is drawn; None switches a rule off."""

    repetitions: AtLeastOne | None = 3
    """Occurrences of one position with the same side to move."""
    quiet_plies: AtLeastOne | None = 80
    """Plies in a row without a capture or a man's move."""
    ply_cap: AtLeastOne | None = 400
    """Plies in all, the opening's included."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a player's search. Each applies to one move unless stated; None means unlimited."""

    depth: int | None = None
    """Plies."""
    nodes: int | None = None
    """Positions searched."""
    seconds: float | None = None
    """Wall-clock seconds."""
    clock: float | None = None
    """Wall-clock seconds left for all the moves to come."""
    increment: float = 0.0
    """Seconds that the clock gains after each move."""

    @property
    def timed(self) -> bool:
        """Whether time is limited."""
        return self.seconds is not None or self.clock is not None


DEFAULT_RULES = DrawRules()
NO_LIMITS = Limits()
