"""What is to be played."""

from __future__ import annotations

from dataclasses import dataclass

from arena.checkers.game import DEFAULT_RULES, NO_LIMITS, DrawRules, Limits
from arena.contracts.opening import Opening
from arena.referee.adjudication import Agreement


@dataclass(frozen=True, slots=True)
class GameTask:
    """All that a game follows from."""

    pairing: str
    round: int
    seed: int
    """63 bits; seeds both players and is the game's id."""
    opening: Opening
    black: str
    """Canonical spec."""
    white: str
    rules: DrawRules = DEFAULT_RULES
    black_weights: str | None = None
    """Hash that the player's weights must have; None for a player without."""
    white_weights: str | None = None
    black_model: str | None = None
    """Hash of the model of the database that the player plays in the place of its own; None: it plays its own."""
    white_model: str | None = None
    limits: Limits = NO_LIMITS
    """What each player may spend; ``clock`` is what there is at the beginning."""
    tables: int | None = None
    """Pieces of the endgame tables that end a game as soon as they know its value; None: it is played out."""
    scores: Agreement | None = None
    """What the players' own scores must say for it to end; None where it is played out."""
    database: str | None = None
    """Path or URL of the database that holds the stored models named in it; None: it names none."""
