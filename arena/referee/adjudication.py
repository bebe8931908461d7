"""Games that end when both players' own scores agree who wins.

A score is in the units of the player that reports it, and seen from its own side, so that each player has a threshold
of its own. Draws are not agreed on.
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
"""Plies in a row that must agree, unless something else is asked for."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the scores of one game must say for it to end."""

    black: float
    """Threshold of the player of the black pieces, in its own units, more than 0."""
    white: float
    plies: int = PLIES
    """In a row; even, so that both players have said it equally often."""


@dataclass(frozen=True, slots=True)
class AgreedScores:
    """What the scores must say in the games of a tournament. Raises UsageError for numbers that make no sense."""

    threshold: float
    """Of players without one of their own, in each one's own units; more than 0."""
    plies: int = PLIES
    """In a row that must agree; even."""
    players: Mapping[str, float] = field(default_factory=dict)
    """Thresholds of single players, by canonical spec or by name; a spec counts before a name."""

    def __post_init__(self) -> None:
        for threshold in (self.threshold, *self.players.values()):
            if not 0 < threshold < inf:
                raise UsageError(f"the threshold of agreed scores must be more than 0, not {threshold:g}")
        if self.plies < 2 or self.plies % 2:
            raise UsageError(f"scores agree over an even number of plies, 2 or more, not {self.plies}")

    def settled(self, names: Mapping[str, str]) -> AgreedScores:
        """The same with the threshold of every player by its spec; ``names`` are the players' names by their specs.

        Raises UsageError for the threshold of somebody who does not play.
        """
        for who in self.players.keys() - names.keys() - set(names.values()):
            raise UsageError(
                f"there is a threshold of scores for {shown(who)}, who does not play; there are {', '.join(names)}"
            )
        own = self.players
        players = {spec: own.get(spec, own.get(name, self.threshold)) for spec, name in names.items()}
        return AgreedScores(self.threshold, self.plies, players)

    def between(self, black: str, white: str) -> Agreement:
        """What must be said in a game of two players, by their specs."""
        return Agreement(self.players.get(black, self.threshold), self.players.get(white, self.threshold), self.plies)


class ScoreAdjudicator:
    """Follows the scores of one game."""

    def __init__(self, agreement: Agreement) -> None:
        self.outcome: Outcome | None = None
        """How the game ends by agreement; None where there is none."""
        self._thresholds = agreement.black, agreement.white
        self._plies = agreement.plies
        self._ahead: Side | None = None
        self._row = 0

    def add(self, side: Side, score: float | None) -> None:
        """Take in what ``side`` reported of its move; None, nothing, agrees with nobody."""
        ahead = None
        if score is not None and abs(score) >= self._thresholds[side]:
            ahead = side if score > 0 else side.other
        self._row = self._row + 1 if ahead is self._ahead else 1
        self._ahead = ahead
        agreed = ahead is not None and self._row >= self._plies
        self.outcome = Outcome(ahead, Termination.SCORES) if agreed else None
