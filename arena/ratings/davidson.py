"""Davidson's model: Bradley-Terry ratings with draws and an advantage for Black, fitted to all games at once.

With strengths p, a tie parameter v and an order parameter g, a game of b (Black) against w (White) ends

    Black wins : draw : White wins  =  p_b sqrt(g) : v sqrt(p_b p_w) : p_w / sqrt(g)

Sources: for v, Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
JASA 65 (1970); for g, Davidson and Beaver, "On extending the Bradley-Terry model to incorporate within-pair order
effects", Biometrics 33 (1977), whose tie parameter is v sqrt(g). The fit estimates the logarithms of p, v and g,
because the log-likelihood is concave in them. A rating is 400 log10(p), in Elo units.

Each logarithm has a normal prior of mean 0. With the prior, the estimates are finite in every case: for perfect scores,
for groups of players that never met, for tournaments without draws and with nothing but draws. If the games determine
the estimates, the prior has little effect. With the default standard deviation of 500 Elo units, 60 wins out of 60 give
a difference of 992 Elo units. 56 wins, 2 draws and 2 losses give 569 Elo units, instead of 579 without the prior; this
change is a twelfth of the standard error.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated

import numpy as np

from arena.contracts.rating import PlayerRating, RatedGame, Rating
from arena.errors import ArenaError
from arena.plugins.options import Range
from arena.statistics.solve import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

ELO = 400 / log(10)
"""Elo units in one unit of natural logarithm."""
Z95 = NormalDist().inv_cdf(0.975)
"""97.5 % quantile of the normal distribution."""

_OUTCOMES = np.array(
    # log strength of Black, log strength of White, log tie, log order
    [
        [1.0, 0.0, 0.0, 0.5],  # Black wins
        [0.5, 0.5, 1.0, 0.0],  # draw
        [0.0, 1.0, 0.0, -0.5],  # White wins
    ]
)
_COLUMN = {1.0: 0, 0.5: 1, 0.0: 2}
_PRECISION = 1e-10
_MOST_STEPS = 200


class Davidson(Rating):
    """Bradley-Terry ratings with draws (Davidson) and an advantage for Black, in Elo units with mean 0."""

    def __init__(self, prior_sd: Annotated[float, Range(1, 1e6)] = 500.0, first_move: bool = True) -> None:
        """``prior_sd``: standard deviation of the prior in Elo units. ``first_move``: estimate the advantage of Black,
        which moves first."""
        self.prior_sd = prior_sd
        self.first_move = first_move

    def rate(self, players: Sequence[str], games: Sequence[RatedGame]) -> list[PlayerRating]:
        """Return a rating for each of ``players``, in their order; ``games`` are between these players only.

        The mean rating of the players with games is 0, and the errors come from the covariance under this condition. A
        player without games has rating 0 and the error of the prior.
        """
        played = Counter(player for game in games for player in (game.black, game.white))
        rated = [player for player in players if played[player]]
        table = _tabulate(rated, games)
        fitted = fit(len(rated), *table, prior_sd=self.prior_sd, first_move=self.first_move)
        errors = Z95 * np.sqrt(np.diag(fitted.covariance))
        # Rounding gives players with the same results the same rating.
        estimates = {
            player: (round(rating, 6) + 0.0, round(error, 6))
            for player, rating, error in zip(rated, fitted.ratings.tolist(), errors.tolist(), strict=True)
        }
        prior = 0.0, Z95 * self.prior_sd
        return [PlayerRating(player, *estimates.get(player, prior), played[player]) for player in players]


def _tabulate(players: Sequence[str], games: Sequence[RatedGame]) -> tuple[Integers, Integers, Floats]:
    """Return three arrays with a row for each pair that met: number of Black, number of White, and Black's counts.

    The counts are Black's wins, draws and losses; shape (pairs, 3).
    """
    number = {player: i for i, player in enumerate(players)}
    results = Counter((number[game.black], number[game.white], _COLUMN[game.score]) for game in games)
    pairs = sorted({(black, white) for black, white, _ in results})
    counts = np.array([[results[*pair, column] for column in range(3)] for pair in pairs], dtype=np.float64)
    numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return numbers[:, 0], numbers[:, 1], counts.reshape(-1, 3)


@dataclass(frozen=True, slots=True)
class DavidsonFit:
    """The model at the maximum of likelihood times prior."""

    ratings: Floats  # (players,)
    """Elo units, mean 0."""
    covariance: Floats  # (players, players)
    """Covariance of the ratings under the condition that their mean is 0; squared Elo units."""
    tie: float
    """v: a game between equal players is drawn with probability v / (v + sqrt(g) + 1 / sqrt(g))."""
    order: float
    """g: odds of Black against White in a decided game between equal players; 1 if it is not estimated."""
    log_likelihood: float
    """Natural logarithm of the probability of the games in their order, without the prior."""


def fit(
    players: int,
    black: Integers,  # (pairs,)
    white: Integers,  # (pairs,)
    counts: Floats,  # (pairs, 3)
    *,
    prior_sd: float,
    first_move: bool,
) -> DavidsonFit:
    """Fit the model to ``counts`` of Black's wins, draws and White's wins for pairs of player numbers.

    ``prior_sd``, above 0, is in Elo units. Raises ArenaError if the search for the maximum does not converge.
    """
    size = players + 1 + first_move
    features = _OUTCOMES[:, : 3 + first_move]  # (3, local)
    # Indices of the parameters of each pair: its two strengths, tie and order.
    index = np.column_stack([black, white, *(np.full_like(black, i) for i in range(players, size))])
    games = counts.sum(axis=1)  # (pairs,)
    prior = (ELO / prior_sd) ** 2
    # Only the prior depends on the mean of the strengths. A term in the Hessian for the mean improves its condition.
    mean = np.zeros(size)
    mean[:players] = players**-0.5 if players else 0.0

    def log_probabilities(x: Floats) -> Floats:  # (pairs, 3)
        utilities: Floats = np.einsum("pi,oi->po", x[index], features)
        total: Floats = np.logaddexp.reduce(utilities, axis=1, keepdims=True)
        return utilities - total

    def loss(x: Floats) -> float:
        return float(prior / 2 * (x**2).sum() - (counts * log_probabilities(x)).sum())

    def slopes(x: Floats) -> tuple[Floats, Floats]:
        p = np.exp(log_probabilities(x))  # (pairs, 3)
        gradient = prior * x
        np.add.at(gradient, index, np.einsum("po,oi->pi", games[:, None] * p - counts, features))
        expected = np.einsum("po,oi->pi", p, features)  # (pairs, local)
        curvature = np.einsum("po,oi,oj->pij", p, features, features)
        curvature -= expected[:, :, None] * expected[:, None, :]
        hessian = prior * np.eye(size) + np.outer(mean, mean)
        np.add.at(hessian, (index[:, :, None], index[:, None, :]), games[:, None, None] * curvature)
        return gradient, hessian

    x = _minimum(loss, slopes, np.zeros(size))
    covariance = solve(slopes(x)[1], np.eye(size)) - np.outer(mean, mean) / (1 + prior)
    return DavidsonFit(
        ratings=ELO * (x[:players] - x[:players].sum() / max(players, 1)),
        covariance=ELO**2 * covariance[:players, :players],
        tie=float(np.exp(x[players])),
        order=float(np.exp(x[players + 1])) if first_move else 1.0,
        log_likelihood=float((counts * log_probabilities(x)).sum()),
    )


def _minimum(loss: Callable[[Floats], float], slopes: Callable[[Floats], tuple[Floats, Floats]], x: Floats) -> Floats:
    """Return the minimum of a convex function by Newton's method; a step is halved until the function decreases."""
    for _ in range(_MOST_STEPS):
        gradient, hessian = slopes(x)
        step = -solve(hessian, gradient[:, None])[:, 0]
        current = loss(x)
        while loss(x + step) > current and np.abs(step).max() > _PRECISION:
            step = step / 2
        x = x + step
        if np.abs(step).max() <= _PRECISION:
            return x
    raise ArenaError("the ratings do not converge: choose a smaller prior_sd")
