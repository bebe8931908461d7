"""Ratings from wins, draws and losses all at once: Bradley-Terry with draws and an advantage of Black.

With strengths p, a tie parameter v and an order parameter g, a game of b (Black) against w (White) ends

    Black wins : draw : White wins  =  p_b sqrt(g) : v sqrt(p_b p_w) : p_w / sqrt(g)

Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
JASA 65 (1970), for v; Davidson and Beaver, "On extending the Bradley-Terry model to incorporate
within-pair order effects", Biometrics 33 (1977), for g (their tie parameter is v sqrt(g)). What is
estimated are the logarithms of all these: in them the log-likelihood is concave. A rating is 400 log10(p),
in Elo units.

Each logarithm has a normal prior of mean 0. It makes perfect scores, pools in pieces, and pools without
draws or with nothing else finite, and hardly moves what the games determine. With the default of 500 Elo
units, two players are 992 Elo units apart after 60 wins out of 60, and 569 instead of 579, a twelfth of the
standard error, after 56 wins, 2 draws and 2 losses.
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
    # Black's and White's log strength, log tie, log order
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
    """Bradley-Terry with draws (Davidson) and an advantage of Black, in Elo units of mean 0."""

    def __init__(self, prior_sd: Annotated[float, Range(1, 1e6)] = 500.0, first_move: bool = True) -> None:
        """``prior_sd``: standard deviation of the prior in Elo units; ``first_move``: whether Black, who
        moves first, has an advantage, to be estimated with the ratings."""
        self.prior_sd = prior_sd
        self.first_move = first_move

    def rate(self, players: Sequence[str], games: Sequence[RatedGame]) -> list[PlayerRating]:
        """One rating for each of ``players``, in their order; nobody else plays in ``games``.

        The mean of those who have played is 0, and the errors come from the covariance given that. Who has
        played no game is left out of it: rating 0, the error of the prior.
        """
        played = Counter(player for game in games for player in (game.black, game.white))
        rated = [player for player in players if played[player]]
        table = _tabulate(rated, games)
        fitted = fit(len(rated), *table, prior_sd=self.prior_sd, first_move=self.first_move)
        errors = Z95 * np.sqrt(np.diag(fitted.covariance))
        # Rounded, so that players with the same results have the same rating.
        found = {
            player: (round(rating, 6) + 0.0, round(error, 6))
            for player, rating, error in zip(rated, fitted.ratings.tolist(), errors.tolist(), strict=True)
        }
        unknown = 0.0, Z95 * self.prior_sd
        return [PlayerRating(player, *found.get(player, unknown), played[player]) for player in players]


def _tabulate(players: Sequence[str], games: Sequence[RatedGame]) -> tuple[Integers, Integers, Floats]:
    """Each pair of Black and White that met, by number, and its counts of Black's wins, draws, losses."""
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
    """Of the ratings, given that their mean is 0; squared Elo units."""
    tie: float
    """v: a game of equals is drawn with probability v / (v + sqrt(g) + 1 / sqrt(g))."""
    order: float
    """g: odds of Black against White in a decided game of equals; 1 where it is not estimated."""
    log_likelihood: float
    """Natural logarithm of the probability of the games in their order; the prior does not count."""


def fit(
    players: int,
    black: Integers,  # (pairs,)
    white: Integers,  # (pairs,)
    counts: Floats,  # (pairs, 3)
    *,
    prior_sd: float,
    first_move: bool,
) -> DavidsonFit:
    """DavidsonFit the model to ``counts`` of Black's wins, draws and White's wins of pairs of players by number.

    ``prior_sd``, above 0, is in Elo units. Raises ArenaError where the search for the maximum does not end.
    """
    size = players + 1 + first_move
    features = _OUTCOMES[:, : 3 + first_move]  # (3, local)
    # Each pair has to do with these parameters: its two strengths, tie and order.
    index = np.column_stack([black, white, *(np.full_like(black, i) for i in range(players, size))])
    games = counts.sum(axis=1)  # (pairs,)
    prior = (ELO / prior_sd) ** 2
    # Only the prior depends on the mean of the strengths, which is apart from all else: fix it firmly.
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
    """Where a convex function is least: Newton's method, steps halved until they go down."""
    for _ in range(_MOST_STEPS):
        gradient, hessian = slopes(x)
        step = -solve(hessian, gradient[:, None])[:, 0]
        here = loss(x)
        while loss(x + step) > here and np.abs(step).max() > _PRECISION:
            step = step / 2
        x = x + step
        if np.abs(step).max() <= _PRECISION:
            return x
    raise ArenaError("the ratings do not settle: choose a smaller prior_sd")
