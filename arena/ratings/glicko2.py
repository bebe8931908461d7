"""Glicko-2 ratings, which are updated after each period.

Source: M. Glickman, *Example of the Glicko-2 system* (2013). The step numbers below are those of the paper.

A player has a rating, a rating deviation (the uncertainty of the rating) and a volatility (the expected fluctuation of
the strength). All games of a period count at once, against the opponents' ratings before the period.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import exp, log, pi, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Annotated

from arena.contracts.rating import PlayerRating, RatedGame, Rating
from arena.plugins.options import Range

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SCALE = 173.7178
"""Rating points in one unit of the system's own scale."""
START = 1500.0
_Z95 = NormalDist().inv_cdf(0.975)
_PRECISION = 1e-6


@dataclass(frozen=True, slots=True)
class Strength:
    """The estimated strength of a player."""

    rating: float = START
    deviation: float = 350.0
    volatility: float = 0.06

    @property
    def mu(self) -> float:
        """The rating on the system's own scale (step 2)."""
        return (self.rating - START) / SCALE

    @property
    def phi(self) -> float:
        """The deviation on the system's own scale (step 2)."""
        return self.deviation / SCALE


class Glicko2(Rating):
    """Glicko-2 (Glickman): ratings updated after each period; a player starts with 1500 ± 686."""

    def __init__(
        self,
        tau: Annotated[float, Range(0.1, 2)] = 0.5,
        period: Annotated[int, Range(1)] | None = None,
    ) -> None:
        """``tau``: limits the change of the volatility. ``period``: games in a period, in the order of the schedule;
        none: all games of the tournament are one period."""
        self.tau = tau
        self.period = period

    def rate(self, players: Sequence[str], games: Sequence[RatedGame]) -> list[PlayerRating]:
        table = dict.fromkeys(players, Strength())
        size = self.period or max(len(games), 1)
        for start in range(0, len(games), size):
            results: defaultdict[str, list[tuple[Strength, float]]] = defaultdict(list)
            for game in games[start : start + size]:
                results[game.black].append((table[game.white], game.score))
                results[game.white].append((table[game.black], 1 - game.score))
            table = {player: updated(table[player], results[player], self.tau) for player in players}
        played = [player for game in games for player in (game.black, game.white)]
        return [
            PlayerRating(player, each.rating, _Z95 * each.deviation, played.count(player))
            for player, each in table.items()
        ]


def updated(player: Strength, results: Sequence[tuple[Strength, float]], tau: float) -> Strength:
    """Return the strength of a player after a period; ``results`` are opponents and points (1, 0.5, 0) against them."""
    if not results:
        deviation = SCALE * sqrt(player.phi**2 + player.volatility**2)  # step 6 for a player without games
        return Strength(player.rating, deviation, player.volatility)
    weights = [1 / sqrt(1 + 3 * opponent.phi**2 / pi**2) for opponent, _ in results]
    expected = [
        1 / (1 + exp(-g * (player.mu - opponent.mu))) for g, (opponent, _) in zip(weights, results, strict=True)
    ]
    variance = 1 / sum(g**2 * e * (1 - e) for g, e in zip(weights, expected, strict=True))  # step 3
    gain = sum(g * (points - e) for g, e, (_, points) in zip(weights, expected, results, strict=True))
    volatility = _volatility(player, variance * gain, variance, tau)
    before = player.phi**2 + volatility**2  # step 6
    phi = 1 / sqrt(1 / before + 1 / variance)  # step 7
    return Strength(START + SCALE * (player.mu + phi**2 * gain), SCALE * phi, volatility)


def _volatility(player: Strength, delta: float, variance: float, tau: float) -> float:
    """Return the new volatility (step 5), by the Illinois variant of the false position method."""
    a = log(player.volatility**2)
    phi2 = player.phi**2

    def f(x: float) -> float:
        whole = phi2 + variance + exp(x)
        return exp(x) * (delta**2 - whole) / (2 * whole**2) - (x - a) / tau**2

    low, high = a, _other_end(f, a, delta**2 - phi2 - variance, tau)
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)


def _other_end(f: Callable[[float], float], a: float, surprise: float, tau: float) -> float:
    """Return a point such that the root lies between it and ``a``."""
    if surprise > 0:
        return log(surprise)
    steps = 1
    while f(a - steps * tau) < 0:
        steps += 1
    return a - steps * tau
