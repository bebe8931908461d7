"""The base class of the Q-model's first two stages: a network fitted to the boards of games."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

import arena
from arena_evaluators.metrics import Metrics
from arena_learners.backprop import Adam, MinibatchFit, Network, logistic
from arena_learners.loop import SelfPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FIT = MinibatchFit(logistic, batch=64)


class Stage(SelfPlayer):
    """A network with one logit, fitted after each hundred games to all their boards.

    A search of one ply with the score of the metrics plays the games. Some random moves make sure that kings and lost
    positions occur. A board's result is the result of its game for the side to move: 1, 0.5 or 0.
    """

    step = 100
    rate: float
    """Learning rate of the optimizer, Adam."""
    explore: float
    """Share of random moves."""
    epochs: int
    """Passes over the boards of each hundred games."""

    @abstractmethod
    def sizes(self) -> Sequence[int]:
        """Return the number of inputs, then the units of each layer."""

    @abstractmethod
    def samples(self, boards: np.ndarray, results: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return inputs (n, inputs), targets in [0, 1] (n,) and weights (n,) of boards, all float32.

        ``boards``: own, opp, kings for the side to move, int64, (n, 3). ``results``: for the side to move, float32,
        (n,).
        """

    def begin(self, seed: int) -> None:
        from arena.search.selfplay import Games

        self.seed_ = seed
        self.games_ = self.fits_ = 0
        self.network_ = Network(self.sizes())
        self.network_.randomize(np.random.default_rng(seed))
        self.optimizer_ = Adam(self.rate, len(self.network_.parameters))
        black, white = (arena.CompiledPlayer(Metrics().kernel(), explore=self.explore) for _ in arena.Side)
        self._games = Games(black, white)

    def self_play(self, games: int) -> Mapping[str, float]:
        """Metrics: ``loss`` and ``accuracy_pct`` on the last hundred games after the fit.

        ``validation_loss`` and ``validation_accuracy_pct`` are the same before the fit.
        """
        metrics: Mapping[str, float] = {}
        for _ in range(self.whole_steps(games) // self.step):
            numbers = range(self.games_, self.games_ + self.step)
            metrics = self.learn_from(
                [self._games.play(self.seed_, number, self.starts.of_game(number)) for number in numbers]
            )
            self.games_ += self.step
        return metrics

    def learn_from(self, episodes: Sequence[arena.Episode]) -> Mapping[str, float]:
        if any(episode.labels is not None or episode.better for episode in episodes):
            raise arena.UsageError(f"{type(self).__name__} cannot learn from a teacher; lms, qmodel and regression can")
        inputs, targets, weights = self.samples(*boards_and_results(episodes))
        before = judged(self.network_.outputs(inputs), targets)
        self.fits_ += 1
        random = np.random.default_rng([self.seed_, self.fits_])
        for _ in range(self.epochs):
            order = random.permutation(len(inputs))
            _FIT(self.network_, self.optimizer_, inputs[order], targets[order], weights[order])
        after = judged(self.network_.outputs(inputs), targets)
        return {f"validation_{name}": value for name, value in before.items()} | after

    def state(self) -> Mapping[str, np.ndarray]:
        counts = np.array([self.games_, self.fits_, self.optimizer_.steps])
        return {"counts": counts, "parameters": self.network_.parameters, "moments": self.optimizer_.moments}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.games_, self.fits_, self.optimizer_.steps = state["counts"].tolist()
        self.network_.parameters[:] = state["parameters"]
        self.optimizer_.moments[:] = state["moments"]

    def model(self) -> arena.Model:
        return arena.Model(self.kind, self.network_.tensors())


def boards_and_results(episodes: Sequence[arena.Episode]) -> tuple[np.ndarray, np.ndarray]:
    """Return all boards of finished games except the last one of each (int64, (n, 3)), and their results.

    A result is for the side to move: 1 won, 0 lost, 0.5 drawn; float32, (n,).
    """
    boards = np.concatenate([np.zeros((0, 3), np.int64), *(episode.boards[:-1] for episode in episodes)])
    results = [episode.result(episode.side(ply)) for episode in episodes for ply in range(episode.plies)]
    return boards, (np.array(results, dtype=np.float32) + 1) / 2


def judged(outputs: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    """Return metrics of logits for targets in [0, 1].

    ``loss``: mean cross-entropy. ``accuracy_pct``: percentage of the targets other than 0.5 that are predicted.
    """
    decided = targets != 0.5
    right = (outputs > 0) == (targets > 0.5)
    loss = float(logistic(outputs, targets)[0].mean()) if len(outputs) else 0.0
    return {"loss": loss, "accuracy_pct": 100 * float(right[decided].mean()) if decided.any() else 0.0}
