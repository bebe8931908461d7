"""The contract of a rating system."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game that counts for the ratings."""

    black: str
    white: str
    score: float
    """Black's score: 1, 0.5 or 0."""


@dataclass(frozen=True, slots=True)
class PlayerRating:
    """The rating of one player."""

    player: str
    rating: float
    error: float
    """Half the width of the 95 % confidence interval, in the units of the rating."""
    games: int
    """Number of the player's games on which the rating is based."""


class Rating(ABC):
    """Computes ratings from results. Options come from the constructor's signature."""

    @abstractmethod
    def rate(self, players: Sequence[str], games: Sequence[RatedGame]) -> list[PlayerRating]:
        """Return a rating for each of ``players``, in their order. ``games`` are in the order of the schedule."""
