"""Least mean squares on a linear function of the board, in four modules (Mitchell 1997).

Mitchell, Machine Learning (1997), chapter 1, is the source of the design, of the critic's rule and of the LMS
rule. Courses teach two readings of it: the raw rule with the best board after one's own move, and a rule
normalised by the sum of the features with the best board after the opponent's worst reply. Both are here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

import arena
from arena_evaluators.linear import FEATURES, Weights, features_of, weights_of
from arena_players.lms import LMS as LMSPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping

FINAL_VALUE = 100.0
"""V(b) of a board that is won; a lost one is worth its negative, a drawn one 0 (Mitchell 1997)."""


@dataclass(frozen=True, slots=True)
class Example:
    """A training example ⟨b, V_train(b)⟩."""

    features: np.ndarray
    """x0..x6 as the learner sees the board: float64, (7,)."""
    value: float
    """V_train, from the learner's point of view."""


class PerformanceSystem:
    """Plays the move whose board V̂ likes best."""

    def __init__(self, model: arena.Model, depth: int) -> None:
        self.players = {side: LMSPlayer(model, depth) for side in arena.Side}

    def choose(self, game: arena.Game) -> arena.Move:
        return self.players[game.side].choose(game)


class ExperimentGenerator:
    """Sets up the next game: self-play, where each move is a random one with probability ``explore``."""

    def __init__(self, explore: float, random: np.random.Generator) -> None:
        self.explore = explore
        self.random = random

    def play(self, performance: PerformanceSystem) -> arena.Game:
        """A finished game of the performance system against itself."""
        game = arena.Game(random=self.random)
        while game.outcome is None:
            moves = game.board.legal_moves
            if self.random.random() < self.explore:
                game.play(moves[self.random.integers(len(moves))])
            else:
                game.play(performance.choose(game))
        return game


class Critic:
    """Gives each board of a game that V̂ was asked about its training value.

    V_train(b) = V̂(successor(b)), the next such board of the same player; the last one gets the true value of the
    end of the game. Which boards these are follows from the choice of moves (ours; Mitchell
    speaks of boards on the player's turn): a search of odd depth compares boards after the player's own move,
    one of even depth boards on which it is the player's turn again. Training on the other kind teaches to leave
    pieces hanging.
    """

    def __init__(self, depth: int) -> None:
        self.after_own_move = depth % 2 == 1

    def examples(self, game: arena.Game, learner: arena.Side, weights: np.ndarray) -> list[Example]:
        """The training set of one finished game, as the player of one colour saw it."""
        outcome = game.outcome
        if outcome is None:
            raise ValueError("the game is not over")
        final = 0.0 if outcome.winner is None else FINAL_VALUE if outcome.winner is learner else -FINAL_VALUE
        to_move = learner.other if self.after_own_move else learner
        boards = game.boards[1:-1] if self.after_own_move else game.boards[:-1]
        seen = [features_of(board, learner) for board in boards if board.side is to_move]
        values = [*(float(weights @ features) for features in seen[1:]), final]
        return [Example(features, value) for features, value in zip(seen, values, strict=False)]


class Generalizer:
    """The LMS rule: w_i += rate * (V_train - V̂) * x_i, divided by Z = x0 + … + xn where normalised."""

    def __init__(self, rate: float, normalised: bool, features: int) -> None:
        self.rate = rate
        self.normalised = normalised
        self.used = 1 + features

    def update(self, weights: np.ndarray, example: Example) -> float:
        """Move ``weights`` (float64, 7) in place; returns the squared error (V_train - V̂)² before."""
        x = example.features[: self.used]
        error = example.value - float(weights[: self.used] @ x)
        weights[: self.used] += self.rate * error * x / (x.sum() if self.normalised else 1.0)
        return error**2


class LMS(arena.Learner):
    """LMS on six counts of the board by self-play (Mitchell 1997): critic, generalizer, generator, player.

    Both sides' boards of each game are training examples, each seen by the player whose choice led to it. The raw rule
    (``normalised=false``) diverges with a rate of 0.1: an error says so when it does.
    """

    kind = "lms"

    def __init__(
        self,
        rate: Annotated[float, arena.Range(0)] = 0.1,
        normalised: bool = True,
        features: Literal[4, 6] = 6,
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        explore: Annotated[float, arena.Range(0, 1)] = 0.1,
        start: Weights | None = None,
    ) -> None:
        """``rate``: the step of the rule, divided by the sum of the features where ``normalised``.

        ``features``: 4 leaves the threatened pieces out. ``depth``: plies of search when playing. ``explore``:
        share of moves that are random. ``start``: weights to begin from; None for zero weights.
        """
        self.rate = rate
        self.normalised = normalised
        self.features = features
        self.depth = depth
        self.explore = explore
        self.start = start

    def begin(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.weights_ = np.zeros(FEATURES)
        if self.start is not None:
            self.weights_ = weights_of(self.start).copy()
        self.generator_ = ExperimentGenerator(self.explore, random)
        self.critic_ = Critic(self.depth)
        self.generalizer_ = Generalizer(self.rate, self.normalised, self.features)

    def practise(self, games: int) -> Mapping[str, float]:
        for _ in range(games):
            metrics = self._step()
        return metrics

    def state(self) -> Mapping[str, np.ndarray]:
        raise NotImplementedError

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        raise NotImplementedError

    def _step(self) -> Mapping[str, float]:
        """Metrics: plies, squared error E = ½ Σ (V_train - V̂)² of the game, norm of the weights."""
        game = self.generator_.play(PerformanceSystem(self.model(), self.depth))
        squares = 0.0
        for learner in arena.Side:
            for example in self.critic_.examples(game, learner, self.weights_):
                squares += self.generalizer_.update(self.weights_, example)
        if not np.abs(self.weights_).max() < 1e9:
            raise arena.ArenaError("the weights diverged; a smaller rate or normalised=true keeps them bounded")
        return {"plies": game.ply, "squared_error": squares / 2, "norm": float(np.linalg.norm(self.weights_))}

    def model(self) -> arena.Model:
        return arena.Model(self.kind, {"weights": self.weights_})

    def player(self) -> arena.Player:
        return LMSPlayer(self.model(), self.depth)
