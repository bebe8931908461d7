"""Logistic regression of the results of games on piece-square patterns.

Buro (1995, *Statistical feature combination for the evaluation of game positions*) fitted Othello evaluations to the
results of games by logistic regression. Chess programmers call it Texel's tuning method (Österlund 2014). Scan and
Kingsrow learned their patterns in this way. For every distinct position with n games and mean target y::

    minimise  sum n (-y log p - (1 - y) log(1 - p)) + l2/2 |w - w0|²,   p = 1 / (1 + exp(-w·x))

by Adam (Kingma & Ba 2015) over random batches. w0 counts only material; weights of patterns that occur in few games
stay near it. Positions in which the side to move must capture are left out, since the search does not evaluate them.

Ours:

- The targets of self-play are the lambda-returns of its own searches instead of the bare results
  (:func:`arena_learners.outcomes.returns`).
- Each generation of self-play has half as many games again.
- One game in twenty is held back for the held-out loss and for the calibration. The calibration is a factor, fitted to
  the held-back positions. The model's weights are multiplied by it, so that 1 / (1 + exp(-value)) is the expected
  result.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Annotated, ClassVar
from zlib import crc32

import numpy as np

import arena
from arena.checkers.bits import popcount
from arena.search.logistic import cross_entropy, slope
from arena_evaluators.patterns import (
    KIND,
    MOST_SLOTS,
    PIECES,
    kernel_of,
    material,
    mirror,
    pack,
    rounded,
    slots,
)
from arena_learners.backprop import logistic
from arena_learners.loop import ModularLearner, SelfPlay, norm
from arena_learners.outcomes import WeightedPositions, quiet, returns, wide
from arena_players.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

FIRST_GENERATION = 400
"""Games before the first fit. Each later fit follows when there are half as many games again."""
HELD_BACK = 20
"""One game in this number is held back from learning."""
FITTED = ("loss", "held_out_loss", "positions", "distinct", "norm")
"""Metrics of a fit: mean loss, mean loss on the held-back games, total weight of the positions, number of distinct
positions, norm of the weights."""
RULES = arena.DrawRules(quiet_plies=30)
"""Self-play is drawn after fewer quiet plies than other games, since shuffling kings teaches nothing."""
_EPOCHS = 4
_BATCH = 8192
_RATE = 0.02
_MOMENTUM, _SCALING = 0.9, 0.99
_TINY = 1e-8


def is_generation(games: int) -> bool:
    """Return whether a generation ends after this number of games."""
    end = FIRST_GENERATION
    while end < games:
        end += end // 2
    return end == games


class PerformanceSystem:
    """Searches with the weights of the last call of :meth:`take`."""

    def __init__(self, weights: np.ndarray, depth: int, explore: float) -> None:
        self.kernel = kernel_of(weights)
        self.depth = depth
        self.explore = explore

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:  # noqa: ARG002  (the same for both)
        return arena.CompiledPlayer(self.kernel, self.depth, quiescence=True, explore=self.explore)

    def refresh(self) -> None:
        """Do nothing, since every change of the weights is written into the kernel's context."""

    def take(self, weights: np.ndarray) -> None:
        """Play with these weights from now on."""
        assert self.kernel.context is not None
        pack(weights, self.kernel.context)


class Critic:
    """Gives the quiet positions of a game their targets: a teacher's label, or else the lambda-return.

    Positions with a random move are left out.
    """

    def __init__(self, lambda_: float, discount: float) -> None:
        self.lambda_ = lambda_
        self.discount = discount

    def examples(self, episode: arena.Episode, side: arena.Side) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return boards (own, opp, kings; (n, 3)) with ``side`` to move, targets and weights (float64, (n,))."""
        mine = np.arange(episode.plies + 1) % 2 == (side is not episode.first)
        chosen = mine & quiet(episode.boards)
        if episode.explored is not None:
            chosen[:-1] &= ~episode.explored
        plies = np.flatnonzero(chosen)
        targets = returns(episode, self.lambda_)[plies]
        if episode.labels is not None:
            labels = episode.labels[plies]
            targets = np.where(np.isnan(labels), targets, (1 + labels) / 2)
        return episode.boards[plies], targets, self.discount ** (episode.plies - plies)


class Generalizer:
    """Fits the weights to all positions so far, beginning with the weights of the last fit."""

    def __init__(self, weights: np.ndarray, prior: np.ndarray, l2: float) -> None:
        """``weights`` and ``prior``: float64, (PHASES, SLOTS)."""
        self.weights = weights
        self.prior = prior
        self.l2 = l2

    def update(self, examples: tuple[WeightedPositions, np.random.Generator]) -> Mapping[str, float]:
        """Fit the weights in place; the generator orders the positions. Metric ``loss``: mean of the last pass."""
        weights = self.weights
        pool, random = examples
        boards, targets, counts = pool.boards, pool.targets, pool.counts
        positions = len(boards)
        moments = np.zeros((2, *weights.shape))
        gradient = np.empty_like(weights)
        starts = range(0, positions, _BATCH)
        steps = _EPOCHS * len(starts)
        step, loss = 0, 0.0
        for _ in range(_EPOCHS):
            order = random.permutation(positions)
            loss = 0.0
            for start in starts:
                batch = order[start : start + _BATCH]
                gradient[:] = 0
                loss += accumulate(boards, targets, counts, batch, weights, gradient)
                step += 1
                rate = _RATE * (1 - (step - 1) / steps)
                adam(weights, self.prior, gradient, mirror(), moments, len(batch), self.l2 / positions, rate, step)
        return {"loss": loss / max(float(counts.sum()), _TINY)}


@arena.kernel
def log_odds(own: int, opp: int, kings: int, weights: np.ndarray, found: np.ndarray) -> tuple[float, int, float]:
    """Return the value of a position, the number of its entries, which go to ``found``, and pieces / 24."""
    entries = slots(own, opp, kings, found)
    full = popcount(own | opp) / PIECES
    value = 0.0
    for i in range(entries):
        value += full * weights[0, found[i]] + (1 - full) * weights[1, found[i]]
    return value, entries, full


@arena.kernel
def accumulate(
    boards: np.ndarray,
    targets: np.ndarray,
    counts: np.ndarray,
    batch: np.ndarray,
    weights: np.ndarray,
    gradient: np.ndarray,
) -> float:
    """Add the gradient of the loss of a batch of positions to ``gradient``; return the loss."""
    found = np.empty(MOST_SLOTS, dtype=np.int64)
    loss = 0.0
    for i in batch:
        own, opp, kings = wide(boards[i])
        value, entries, full = log_odds(own, opp, kings, weights, found)
        entropy, p = cross_entropy(value, targets[i])
        loss += counts[i] * entropy
        error = counts[i] * (p - targets[i])
        for j in range(entries):
            gradient[0, found[j]] += full * error
            gradient[1, found[j]] += (1 - full) * error
    return loss


@arena.kernel
def adam(
    weights: np.ndarray,
    prior: np.ndarray,
    gradient: np.ndarray,
    mirrored: np.ndarray,
    moments: np.ndarray,
    batch: int,
    decay: float,
    rate: float,
    step: int,
) -> None:
    """Take a step of Adam for the gradient of a batch and the l2 term, made antisymmetric as the weights are."""
    rate *= np.sqrt(1 - _SCALING**step) / (1 - _MOMENTUM**step)
    for phase in range(weights.shape[0]):
        for slot in range(weights.shape[1]):
            slope = (gradient[phase, slot] - gradient[phase, mirrored[slot]]) / (2 * batch)
            slope += decay * (weights[phase, slot] - prior[phase, slot])
            first = _MOMENTUM * moments[0, phase, slot] + (1 - _MOMENTUM) * slope
            second = _SCALING * moments[1, phase, slot] + (1 - _SCALING) * slope * slope
            moments[0, phase, slot] = first
            moments[1, phase, slot] = second
            weights[phase, slot] -= rate * first / (np.sqrt(second) + _TINY)


@arena.kernel
def values(boards: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the value of each board (own, opp, kings; (n, 3)) for its side to move: float64, (n,)."""
    found = np.empty(MOST_SLOTS, dtype=np.int64)
    result = np.empty(len(boards))
    for i in range(len(boards)):
        own, opp, kings = wide(boards[i])
        result[i] = log_odds(own, opp, kings, weights, found)[0]
    return result


def mean_loss(log_odds: np.ndarray, targets: np.ndarray, counts: np.ndarray) -> float:
    """Return the mean cross-entropy of values; 0 without values."""
    losses, _ = logistic(log_odds, targets)
    return float((counts * losses).sum() / counts.sum()) if len(counts) else 0.0


def is_held_back(episode: arena.Episode) -> bool:
    """Return whether a game is held back. One of ``HELD_BACK`` is, chosen by its boards, so equal games agree."""
    return crc32(episode.boards.tobytes()) % HELD_BACK == 0


class Regression(ModularLearner):
    """Logistic regression of results on piece-square patterns, from self-play and recorded games (Buro 1995)."""

    kind = KIND
    plays = "patterns"
    idle: ClassVar = {
        "self": ("discount",),
        "against": ("depth", "lambda"),
        "from": ("depth", "lambda", "explore", "random_plies"),
    }

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 4,
        random_plies: Annotated[int, arena.Range(0, 40)] = 6,
        explore: Annotated[float, arena.Range(0, 1)] = 0.0,
        lambda_: Annotated[float, arena.Range(0, 1)] = 0.8,
        discount: Annotated[float, arena.Range(0, 1)] = 0.98,
        l2: Annotated[float, arena.Range(0)] = 64.0,
        man: Annotated[float, arena.Range(0)] = 4.0,
        king: Annotated[float, arena.Range(0)] = 6.0,
    ) -> None:
        """``depth``: plies to search in self-play; the learned player always searches 4 plies.

        ``random_plies``: random moves at the start of each game. ``explore``: share of random moves after them.

        ``lambda_``: weight of the result in the targets, against the values of the searches of self-play; 1: the result
        alone.

        ``discount``: factor of the weight of a recorded position for each ply before the end; its target is the result.

        ``l2``: strength of the pull towards the prior. ``man``, ``king``: worth of the pieces in the prior, in log
        odds.
        """
        self.depth = depth
        self.random_plies = random_plies
        self.explore = explore
        self.lambda_ = lambda_
        self.discount = discount
        self.l2 = l2
        self.man = man
        self.king = king

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.games_ = 0
        self.weights_ = material(self.man, self.king)
        self.pool_ = WeightedPositions()
        self.held_back_ = WeightedPositions()
        self.fitted_ = np.zeros(len(FITTED))
        self.frozen_: tuple[int, arena.Model] | None = None
        self.assemble()

    def performance_system(self) -> PerformanceSystem:
        return PerformanceSystem(self.weights_, self.depth, self.explore)

    def critic(self) -> Critic:
        return Critic(self.lambda_, 1.0)

    def critic_of_others(self) -> Critic:
        """Return the critic of games played elsewhere."""
        return Critic(1.0, self.discount)

    def generalizer(self) -> Generalizer:
        return Generalizer(self.weights_, material(self.man, self.king), self.l2)

    def experiment_generator(self) -> SelfPlay:
        return SelfPlay(self.performance_, self.seed_, self.random_plies, RULES, self.starts)

    def self_play(self, games: int) -> Mapping[str, float]:
        played = (self.generator_.play(number) for number in range(self.games_, self.games_ + games))
        return self._learn(played, self.critic_)

    def learn_from(self, episodes: Sequence[arena.Episode]) -> Mapping[str, float]:
        return self._learn(episodes, self.critic_of_others())

    def _learn(self, episodes: Iterable[arena.Episode], critic: Critic) -> Mapping[str, float]:
        """Metrics: ``plies`` and ``draw_pct``, means over the games; those of the last fit (:data:`FITTED`)."""
        plies = drawn = played = 0
        for episode in episodes:
            pool = self.held_back_ if is_held_back(episode) else self.pool_
            for side in episode.learners:
                pool.add(*critic.examples(episode, side))
            self.games_ += 1
            if is_generation(self.games_):
                self.fitted_ = self._fit(self.generalizer_)
                self.performance_.take(self.weights_)
            plies += episode.plies
            drawn += episode.winner is None
            played += 1
        return {
            "plies": plies / max(played, 1),
            "draw_pct": 100 * drawn / max(played, 1),
            **dict(zip(FITTED, self.fitted_.tolist(), strict=True)),
        }

    def _fit(self, generalizer: Generalizer) -> np.ndarray:
        """Fit the weights of ``generalizer`` to all positions so far; return the metrics of :data:`FITTED`."""
        pool, held, weights = self.pool_, self.held_back_, generalizer.weights
        loss = generalizer.update((pool, np.random.default_rng([self.seed_, self.games_])))["loss"]
        held_out_loss = mean_loss(values(held.boards, weights), held.targets, held.counts)
        return np.array([loss, held_out_loss, pool.counts.sum(), len(pool.boards), norm(weights)])

    def model(self) -> arena.Model:
        """Return the calibrated weights of a fit to all games so far, which takes as long as that of a generation."""
        if self.frozen_ is None or self.frozen_[0] != self.games_:
            weights, held = self.weights_.copy(), self.held_back_
            if not is_generation(self.games_):
                generalizer = copy(self.generalizer_)
                generalizer.weights = weights
                self._fit(generalizer)
            factor = slope(values(held.boards, weights), 2 * held.targets - 1)
            self.frozen_ = self.games_, arena.Model(self.kind, {"weights": rounded(factor * weights)})
        return self.frozen_[1]

    def player(self) -> arena.Player:
        return Patterns(self.model())

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "games": np.array(self.games_),
            "weights": self.weights_,
            "fitted": self.fitted_,
            **self.pool_.state("pool"),
            **self.held_back_.state("held_back"),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.games_ = int(state["games"])
        self.weights_[:] = state["weights"]
        self.fitted_ = state["fitted"].copy()
        self.frozen_ = None
        self.pool_.restore(state, "pool")
        self.held_back_.restore(state, "held_back")
        self.performance_.take(self.weights_)
