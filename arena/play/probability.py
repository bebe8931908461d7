"""Win probability: what a player's score means, according to its recorded games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.store import recorded_games
from arena.store.address import locate
from arena.store.database import Database

if TYPE_CHECKING:
    import numpy as np

    from arena.plugins.specs import Spec

ENOUGH = 20
"""Number of recorded games from which a player's scale is estimated; with fewer, there is no win probability."""
MOST = 1000
"""Maximum number of recorded games, the newest, from which a scale is estimated."""
_WIDEST = 10.0
"""Scores are clipped to this many times their median size. Forced wins have scores of arbitrary size."""


@dataclass(frozen=True, slots=True)
class Probability:
    """The scale that turns scores of one player into win probabilities."""

    scale: float | None
    """Score for which the odds are e to 1, in the player's units; None: there are too few recorded games."""
    games: int
    """Number of recorded games in which the player reported scores."""

    def of(self, score: float | None) -> float | None:
        """Return the win probability, 0 to 1, of the side that has ``score``; None if it is unknown.

        P = 1 / (1 + exp(-score / scale)), the logistic function. A draw counts as half a win, so P is the expected
        share of the points. The scale is fitted to the results of recorded games by logistic regression without a
        constant (D. R. Cox, "The regression analysis of binary sequences", Journal of the Royal Statistical Society B
        20, 1958, pages 215-242). Chess programs fit their scores to results in the same way ("Texel's tuning method"
        by P. Österlund, chessprogramming.org).
        """
        if score is None or self.scale is None:
            return None
        from math import tanh

        return 0.5 + 0.5 * tanh(score / self.scale / 2)


def probability_of(player: Spec, database: str) -> Probability:
    """Return the scale of a player, fitted to its last recorded games with the same spec and weights.

    ``database``: path or URL. Raises StoreError if the database exists and cannot be read.
    """
    if not locate(database)[1]:
        return Probability(None, 0)
    reader = Database(database, write=False)
    try:
        scores, results, games = recorded_games.scored(reader, player.text, player.weights, MOST)
    finally:
        reader.engine.dispose()
    return fitted(scores, results, games)


def probability_in(player: str, tournament: int, database: Database) -> Probability:
    """Return the scale of a player of a tournament, fitted to its games there, against all its opponents.

    ``player``: its spec. Raises StoreError if the database cannot be read.
    """
    return fitted(*recorded_games.scored_in(database, tournament, player, MOST))


def fitted(scores: np.ndarray[Any, Any], results: np.ndarray[Any, Any], games: int) -> Probability:
    """Return the scale that fits scores to results; the arguments are what :func:`recorded_games.scored` returns."""
    import numpy as np

    from arena.search.logistic import slope

    sizes = np.abs(scores[scores != 0])
    if games < ENOUGH or not sizes.size:
        return Probability(None, games)
    widest = _WIDEST * float(np.median(sizes))
    return Probability(1 / slope(np.clip(scores, -widest, widest), results), games)
