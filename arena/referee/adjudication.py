"""Adjudication by scores: ends a game early when the scores of both players agree on the winner.

A score is in the units of the player that reports it, from its own point of view. Each player therefore has its own
threshold. Scores never end a game as a draw.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

from arena.checkers.game import Outcome, Termination
from arena.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.checkers.move import Side

PLIES = 8
"""Default number of consecutive plies whose scores must agree."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The condition on the scores that ends one game."""

    black: float
    """Threshold for Black's scores, in the units of Black's player; more than 0."""
    white: float
    """Threshold for White's scores, in the units of White's player; more than 0."""
    plies: int = PLIES
    """Number of consecutive plies; even, so that both players have the same share of them."""


@dataclass(frozen=True, slots=True)
class AgreedScores:
    """The condition on the scores in the games of a tournament. Raises UsageError for invalid numbers."""

    threshold: float
    """Default threshold, in the units of each player; more than 0."""
    plies: int = PLIES
    """Number of consecutive plies whose scores must agree; even."""
    players: Mapping[str, float] = field(default_factory=dict)
    """Thresholds of single players, by canonical spec or by name. A spec takes precedence over a name."""

    def __post_init__(self) -> None:
        for threshold in (self.threshold, *self.players.values()):
            if not 0 < threshold < inf:
                raise UsageError(f"the threshold of agreed scores must be more than 0, not {threshold:g}")
        if self.plies < 2 or self.plies % 2:
            raise UsageError(f"scores agree over an even number of plies, 2 or more, not {self.plies}")

    def settled(self, names: Mapping[str, str]) -> AgreedScores:
        """Return the same condition with one threshold for the spec of every player.

        ``names`` are the players' names by spec. Raises UsageError if a threshold is not for one of these players.
        """
        for unknown in self.players.keys() - names.keys() - set(names.values()):
            raise UsageError(
                f"there is a score threshold for {shown(unknown)}, which does not play; the players are "
                f"{', '.join(names)}"
            )
        own = self.players
        players = {spec: own.get(spec, own.get(name, self.threshold)) for spec, name in names.items()}
        return AgreedScores(self.threshold, self.plies, players)

    def between(self, black: str, white: str) -> Agreement:
        """Return the condition for a game of two players, given by their specs."""
        return Agreement(self.players.get(black, self.threshold), self.players.get(white, self.threshold), self.plies)


class ScoreAdjudicator:
    """Counts the consecutive plies of one game whose scores agree."""

    def __init__(self, agreement: Agreement) -> None:
        self.outcome: Outcome | None = None
        """Outcome by agreed scores; None while the scores do not agree."""
        self._thresholds = agreement.black, agreement.white
        self._plies = agreement.plies
        self._ahead: Side | None = None
        self._streak = 0

    def add(self, side: Side, score: float | None) -> None:
        """Add the score that ``side`` reported for its move. A missing score (None) resets the streak."""
        ahead = None
        if score is not None and abs(score) >= self._thresholds[side]:
            ahead = side if score > 0 else side.other
        self._streak = self._streak + 1 if ahead is self._ahead else 1
        self._ahead = ahead
        agreed = ahead is not None and self._streak >= self._plies
        self.outcome = Outcome(ahead, Termination.SCORES) if agreed else None
