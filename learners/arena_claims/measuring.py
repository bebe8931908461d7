"""Means and 95 % intervals in the output of ``arena claims``."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

import numpy as np

import arena

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.commands import Spec
    from arena.training.duel import Score

FEWEST = 3
"""Smallest number of values for an interval."""


def over_seeds(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of independent values, one for each training seed, and the bounds of its 95 % t interval.

    With fewer than three values the bounds are NaN; without values the mean is NaN too.
    """
    numbers = np.asarray(values, dtype=float)
    if not len(numbers):
        return nan, nan, nan
    mean = float(numbers.mean())
    if len(numbers) < FEWEST:
        return mean, nan, nan
    from scipy.special import stdtrit

    reach = float(stdtrit(len(numbers) - 1, 0.975) * numbers.std(ddof=1) / np.sqrt(len(numbers)))
    return mean, mean - reach, mean + reach


def seed_columns(name: str, values: Sequence[float]) -> dict[str, float]:
    """Return :func:`over_seeds` as the columns ``name``, ``name_low`` and ``name_high``."""
    return dict(zip((name, f"{name}_low", f"{name}_high"), over_seeds(values), strict=True))


def win_columns(score: Score) -> dict[str, float]:
    """Return Wilson's 95 % interval of win % as the columns ``win_low`` and ``win_high``, in percent."""

    low, high = arena.wilson(score.wins, score.games)
    return {"win_low": 100 * low, "win_high": 100 * high}


def total(duels: Sequence[Score]) -> Score:
    """Return the sum of several scores."""
    from arena.training.duel import Score

    return Score(*(sum(getattr(score, name) for score in duels) for name in ("wins", "draws", "losses")))


def duel_columns(player: Spec, opponent: Spec, games: int, seed: int) -> dict[str, float]:
    """Play ``player`` against ``opponent`` as :func:`arena.training.duel.duel` does; return columns.

    The columns are wins, draws, losses, win % with Wilson's interval, and score % with its 95 % t interval over the
    pairs of games from one opening.
    """
    from arena.training import duel
    from arena.training.duel import Score
    from arena_claims.output import columns

    results, scores = [0, 0, 0], []
    plays = duel.games(player.create, opponent.create), duel.games(opponent.create, player.create)
    for pair, board in enumerate(duel.openings(seed, games // 2)):
        of_pair = [
            play(seed, 2 * pair + mine, board).result(mine) for mine, play in zip(arena.SIDES, plays, strict=True)
        ]
        for result in of_pair:
            results[1 - result] += 1
        scores.append(50 + 25 * sum(of_pair))
    tally = Score(*results)
    return {**columns(tally), **win_columns(tally), **seed_columns("score_pct", scores)}
