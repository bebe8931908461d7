"""What is to be played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from arena.adjudication import Agreement
from arena.checkers.game import DEFAULT_RULES, NO_LIMITS, DrawRules, Limits
from arena.opening import Opening


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
    """Pieces of the endgame tables that end a game as soon as they know its value; None where it is played out."""
    scores: Agreement | None = None
    """What the players' own scores must say for it to end; None where it is played out."""

    def to_json(self) -> dict[str, Any]:
        """A mapping of plain JSON values."""
        parts = {"opening": self.opening, "rules": self.rules, "limits": self.limits, "scores": self.scores}
        return _plain(self) | {name: _plain(part) for name, part in parts.items() if part is not None}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Self:
        """The task that :meth:`to_json` wrote."""
        opening = Opening(**{**values["opening"], "moves": tuple(values["opening"]["moves"])})
        rules, limits = DrawRules(**values["rules"]), Limits(**values["limits"])
        scores = values["scores"] and Agreement(**values["scores"])
        return cls(**{**values, "opening": opening, "rules": rules, "limits": limits, "scores": scores})


def _plain(instance: Any) -> dict[str, Any]:
    """The fields of an instance of a dataclass with slots."""
    return {name: getattr(instance, name) for name in instance.__slots__}
