"""The description of a game to be played."""

from __future__ import annotations

from dataclasses import dataclass

from arena.checkers.game import DEFAULT_RULES, NO_LIMITS, DrawRules, Limits
from arena.contracts.opening import Opening
from arena.plugins.files import SourceFile
from arena.referee.adjudication import Agreement


@dataclass(frozen=True, slots=True)
class GameTask:
    """Everything that determines a game. The same task gives the same game, unless time limits affect it."""

    pairing: str
    """The two canonical specs in alphabetical order, joined with `` vs ``."""
    round: int
    """Number of the game within its pairing, from 0."""
    seed: int
    """63-bit number from which the random numbers of both players follow. It is also the id of the game."""
    opening: Opening
    black: str
    """Canonical spec of the player with the black pieces."""
    white: str
    """Canonical spec of the player with the white pieces."""
    rules: DrawRules = DEFAULT_RULES
    black_weights: str | None = None
    """Hash that the weights of Black's player must have; None for a player without weights."""
    white_weights: str | None = None
    """Hash that the weights of White's player must have; None for a player without weights."""
    black_model: str | None = None
    """Hash of a stored model that Black's player uses instead of its own weights; None to use its own."""
    white_model: str | None = None
    """Hash of a stored model that White's player uses instead of its own weights; None to use its own."""
    limits: Limits = NO_LIMITS
    """Limits of each player's search; ``clock`` is the time at the start of the game."""
    tables: int | None = None
    """Maximum number of pieces in the endgame tables that adjudicate the game; None for no adjudication by tables."""
    scores: Agreement | None = None
    """Condition on the players' scores that ends the game; None for no adjudication by scores."""
    database: str | None = None
    """Path or URL of the database with the stored models that the task names; None if it names none."""
    black_files: tuple[SourceFile, ...] = ()
    """The files whose classes the spec of Black's player names."""
    white_files: tuple[SourceFile, ...] = ()
    """The files whose classes the spec of White's player names."""
