"""Draw rules, and the limits of a player's search. This module does not import NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

AtLeastOne = Annotated[int, Meta(ge=1)]


@dataclass(frozen=True, slots=True)
class DrawRules:
    """Rules that end a game as a draw. None disables a rule."""

    repetitions: AtLeastOne | None = 3
    """Number of occurrences of one position, with the same side to move."""
    quiet_plies: AtLeastOne | None = 80
    """Number of consecutive plies without a capture or a man's move."""
    ply_cap: AtLeastOne | None = 400
    """Total number of plies, those of the opening included."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a player's search. Each applies to one move unless stated; None means unlimited."""

    depth: int | None = None
    """Search depth in plies."""
    nodes: int | None = None
    """Number of positions searched."""
    seconds: float | None = None
    """Wall-clock seconds."""
    clock: float | None = None
    """Wall-clock seconds left for all remaining moves of the game."""
    increment: float = 0.0
    """Seconds that the clock gains after each move."""

    @property
    def timed(self) -> bool:
        """Whether ``seconds`` or ``clock`` limits the search."""
        return self.seconds is not None or self.clock is not None


DEFAULT_RULES = DrawRules()
NO_LIMITS = Limits()
