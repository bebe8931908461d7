"""Fits the coefficients of the heuristic to the results of recorded games.

Buro (1995) fitted evaluations to results by logistic regression. Österlund (2014) did so for the coefficients of his
chess program Texel, after which programmers call the method. With the features x of a quiet position for its side to
move, and the result y of its game, 1, 1/2 or 0::

    minimise  sum (-y log p - (1 - y) log(1 - p)) + l2/2 sum q_i (v_i - v0_i)²,   p = 1 / (1 + exp(-v·x))

v0 are the stock coefficients times the factor that fits the results best. q_i is the mean of x_i², so that every
penalty counts like the same number of positions. Newton's method finds the minimum. The result is scaled so that a
captured piece is worth 10.
"""

from __future__ import annotations

import numpy as np

import arena
from arena.search.logistic import cross_entropy, slope
from arena_evaluators.heuristic import COEFFICIENTS, STOCK, table
from arena_learners.outcomes import quiet

WIDTH = len(COEFFICIENTS)
_STEPS = 50
_LEAST = 0.1
"""Smallest log odds of a captured piece, which sets the scale, as a share of its prior."""


class Positions:
    """Quiet positions of games: their features and the results of the games."""

    def __init__(self) -> None:
        self.features = np.zeros((0, WIDTH), np.int16)
        """For the side to move: int16, (n, 5)."""
        self.results = np.zeros(0, np.int8)
        """For the side to move, 1, 0 or -1: int8, (n,)."""

    def add(self, episode: arena.Episode) -> None:
        """Add the quiet positions of the sides to learn from, except those before a random move."""
        turns = [ply for ply in range(episode.plies) if episode.side(ply) in episode.learners]
        if episode.explored is not None:
            turns = [ply for ply in turns if not episode.explored[ply]]
        plies = np.array(turns, dtype=np.int64)
        plies = plies[quiet(episode.boards[plies])]
        results = [episode.result(episode.side(ply)) for ply in plies.tolist()]
        self.features = np.concatenate([self.features, table(episode.boards[plies]).astype(np.int16)])
        self.results = np.concatenate([self.results, np.array(results, dtype=np.int8)])

    def __len__(self) -> int:
        return len(self.results)


def fit(positions: Positions, l2: float) -> tuple[np.ndarray, float, float]:
    """Return coefficients (float64, (5,)), their mean loss, and the mean loss of the stock coefficients."""
    if not len(positions):
        return STOCK.copy(), 0.0, 0.0
    x = positions.features.astype(np.float64)
    y = (positions.results.astype(np.float64) + 1) / 2
    prior = slope(_values(x, STOCK), positions.results) * STOCK
    squares = _mean_squares(x)
    penalties = l2 * np.where(squares > 0, squares, 1.0)
    v = prior.copy()
    loss, gradient, curvature = _terms(x, y, v, prior, penalties)
    for _ in range(_STEPS):
        step = np.linalg.solve(curvature, gradient)
        size, reached = 1.0, np.inf
        while size > 1e-6 and not reached <= loss:
            terms = _terms(x, y, v - size * step, prior, penalties)
            reached, size = terms[0], size / 2
        if not reached < loss:
            break
        v, (loss, gradient, curvature) = v - 2 * size * step, terms
    none = np.zeros(WIDTH)
    means = [_terms(x, y, each, each, none)[0] / len(x) for each in (v, prior)]
    return v * STOCK[0] / max(float(v[0]), _LEAST * float(prior[0])), means[0], means[1]


@arena.kernel
def _values(x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return v·x of each row, summed in order."""
    values = np.zeros(len(x))
    for n in range(len(x)):
        for i in range(len(v)):
            values[n] += v[i] * x[n, i]
    return values


@arena.kernel
def _mean_squares(x: np.ndarray) -> np.ndarray:
    squares = np.zeros(x.shape[1])
    for n in range(len(x)):
        for i in range(x.shape[1]):
            squares[i] += x[n, i] ** 2
    return squares / len(x)


@arena.kernel
def _terms(
    x: np.ndarray, y: np.ndarray, v: np.ndarray, prior: np.ndarray, penalties: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the objective, its gradient and its Hessian. All sums run in order, whatever the number of threads."""
    width = len(v)
    loss = 0.0
    gradient = np.zeros(width)
    curvature = np.zeros((width, width))
    for i in range(width):
        away = v[i] - prior[i]
        loss += penalties[i] * away * away / 2
        gradient[i] = penalties[i] * away
        curvature[i, i] = penalties[i]
    for n in range(len(x)):
        value = 0.0
        for i in range(width):
            value += v[i] * x[n, i]
        entropy, p = cross_entropy(value, y[n])
        loss += entropy
        for i in range(width):
            gradient[i] += (p - y[n]) * x[n, i]
            for j in range(width):
                curvature[i, j] += p * (1 - p) * x[n, i] * x[n, j]
    return loss, gradient, curvature
