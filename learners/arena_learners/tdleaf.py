"""TDLeaf(lambda) on piece-square patterns (Baxter, Tridgell & Weaver 1998).

J. Baxter, A. Tridgell & L. Weaver, *TDLeaf(lambda): Combining Temporal Difference Learning with Game-Tree Search*
(1998). l_t is the leaf of the principal variation at turn t, for the turns at which the players searched. The expected
result is J(l) = tanh(V(l) / 2), -1 to 1. After each game::

    w += rate * sum over t of gradient J(l_t) * sum over j >= t of lambda**(j - t) * d_j,   d_j = J(l_j+1) - J(l_j)

The last J is the result of the game. Ours:

- The turns of both sides make one sequence, seen by one side. This is possible because patterns are antisymmetric.
- A search that ended in a won, lost or drawn position has a value but no gradient.
- Turns with a random move are skipped.
- The rate falls as 1 / (1 + games / ``steady``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.search.logistic import expected_results
from arena_evaluators.patterns import (
    KIND,
    MOST_SLOTS,
    UNITS,
    entry,
    material,
    mirror,
    rounded,
)
from arena_learners.loop import ModularLearner, SelfPlay, norm
from arena_learners.regression import RULES, PerformanceSystem, log_odds, values
from arena_players.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Mapping

_SAME = 1e-6
"""Values that differ by less are equal."""
_RECENT = 0.01


class Critic:
    """Computes how much the values of a game's leaves should change."""

    def __init__(self, weights: np.ndarray, lambda_: float) -> None:
        self.weights = weights
        self.lambda_ = lambda_

    def examples(self, episode: arena.Episode, side: arena.Side) -> tuple[np.ndarray, np.ndarray, float]:
        """Take the turns of both players as one sequence, seen by ``side``.

        Returns the leaves for their side to move (own, opp, kings; (n, 3)), the wanted change of each leaf's value for
        that side before the rate (float64, (n,)), and the mean squared temporal difference.
        """
        assert episode.values is not None
        assert episode.leaves is not None
        turns = np.flatnonzero(episode.leaves[:, 3])
        boards, distances = episode.leaves[turns, :3], episode.leaves[turns, 3]
        mover = np.where((turns % 2 == 0) == (episode.first is side), 1, -1)
        value = episode.values[turns]
        expected = expected_results(np.append(mover * value, 0.0))
        expected[-1] = episode.result(side)
        differences = np.diff(expected)
        changes = np.empty(len(turns))
        later = 0.0
        for t in range(len(turns) - 1, -1, -1):
            changes[t] = later = differences[t] + self.lambda_ * later
        viewer = np.where(distances % 2, -1, 1)
        static = np.abs(viewer * values(boards, rounded(self.weights) / UNITS) - value) < _SAME
        slope = (1 - expected[:-1] ** 2) / 2
        wanted = viewer * mover * slope * changes
        return boards[static], wanted[static], float((differences**2).mean()) if len(turns) else 0.0


@arena.kernel
def learn(
    boards: np.ndarray, changes: np.ndarray, rate: float, weights: np.ndarray, mirrored: np.ndarray, context: np.ndarray
) -> None:
    """Change the weights of each board's entries and of their mirrored entries; update the kernel's context."""
    found = np.empty(MOST_SLOTS, dtype=np.int64)
    for i in range(len(boards)):
        _, entries, full = log_odds(boards[i, 0], boards[i, 1], boards[i, 2], weights, found)
        step = rate * changes[i] / 2
        for j in range(entries):
            slot, other = found[j], mirrored[found[j]]
            for phase in range(2):
                part = step * (1 - full if phase else full)
                weights[phase, slot] += part
                weights[phase, other] -= part
            context[slot] = entry(weights[0, slot], weights[1, slot])
            context[other] = entry(weights[0, other], weights[1, other])


class Generalizer:
    """Changes the weights as the critic asks, at a rate that falls as 1 / (1 + games / steady)."""

    def __init__(self, weights: np.ndarray, context: np.ndarray, rate: float, steady: int) -> None:
        """``context``: context of the kernel that plays with the weights; it is kept up to date."""
        self.weights = weights
        self.context = context
        self.rate = rate
        self.steady = steady
        self.games = 0
        """Number of games learned from."""

    def update(self, examples: tuple[np.ndarray, np.ndarray, float]) -> Mapping[str, float]:
        """Learn from one game. Metric ``squared_difference``: mean squared temporal difference of its turns."""
        boards, changes, squares = examples
        learn(boards, changes, self.rate / (1 + self.games / self.steady), self.weights, mirror(), self.context)
        self.games += 1
        return {"squared_difference": squares}


class TDLeaf(ModularLearner):
    """TDLeaf(lambda) on piece-square patterns, by self-play (Baxter, Tridgell & Weaver 1998)."""

    kind = KIND
    plays = "patterns"

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 3,
        random_plies: Annotated[int, arena.Range(0, 40)] = 6,
        explore: Annotated[float, arena.Range(0, 1)] = 0.0,
        lambda_: Annotated[float, arena.Range(0, 1)] = 0.7,
        rate: Annotated[float, arena.Range(0)] = 0.03,
        steady: Annotated[int, arena.Range(1)] = 2000,
        man: Annotated[float, arena.Range(0)] = 1.0,
        king: Annotated[float, arena.Range(0)] = 1.5,
    ) -> None:
        """``depth``: plies to search in self-play; the learned player always searches 4 plies.

        ``random_plies``: random moves at the start of each game. ``explore``: share of random moves after them.

        ``lambda_``: the lambda of TDLeaf(lambda).

        ``rate``: the first step. ``steady``: games after which the step has halved.

        ``man``, ``king``: worth of the pieces at the start in log odds; all other weights start at 0.
        """
        self.depth = depth
        self.random_plies = random_plies
        self.explore = explore
        self.lambda_ = lambda_
        self.rate = rate
        self.steady = steady
        self.man = man
        self.king = king

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.games_ = 0
        self.difference_ = 0.0
        self.weights_ = material(self.man, self.king)
        self.assemble()

    def performance_system(self) -> PerformanceSystem:
        return PerformanceSystem(self.weights_, self.depth, self.explore)

    def critic(self) -> Critic:
        return Critic(self.weights_, self.lambda_)

    def generalizer(self) -> Generalizer:
        context = self.performance_.kernel.context
        return Generalizer(self.weights_, context, self.rate, self.steady)

    def experiment_generator(self) -> SelfPlay:
        return SelfPlay(self.performance_, self.seed_, self.random_plies, RULES, self.starts)

    def self_play(self, games: int) -> Mapping[str, float]:
        """Metrics: ``plies`` and ``draw_pct``, over the games; ``squared_difference``, over recent games; ``norm``."""
        plies = draws = 0
        for _ in range(games):
            episode = self.generator_.play(self.games_)
            squares = self.generalizer_.update(self.critic_.examples(episode, episode.first))["squared_difference"]
            self.games_ += 1
            self.difference_ += max(_RECENT, 1 / self.games_) * (squares - self.difference_)
            plies += episode.plies
            draws += episode.winner is None
        return {
            "plies": plies / max(games, 1),
            "draw_pct": 100 * draws / max(games, 1),
            "squared_difference": self.difference_,
            "norm": norm(self.weights_),
        }

    def model(self) -> arena.Model:
        return arena.Model(self.kind, {"weights": rounded(self.weights_)})

    def player(self) -> arena.Player:
        return Patterns(self.model())

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "games": np.array(self.games_),
            "weights": self.weights_,
            "difference": np.array(self.difference_),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.games_ = self.generalizer_.games = int(state["games"])
        self.weights_[:] = state["weights"]
        self.difference_ = float(state["difference"])
        self.performance_.take(self.weights_)
