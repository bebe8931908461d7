"""The neural Q-model: a board model reinforced by generations of games against itself.

The tutorial moves the value of every board of a game towards ±(10 + 0.95); see :mod:`qmodel_as_written`. Here a network
learns the expected result by TD(λ) over one side's own turns (Sutton 1988; Watkins 1989 for the cuts of the returns).
The Q-value of a move is the value of the board after it::

    target = 1/2 + discount (G - 1/2),  G = (1 - λ) v + λ target'

v is the network's probability to win with the best move when the game was played. target' is the target of the side's
next turn, and at the end the result: 1, 0, or (1 + draw_reward) / 2. A random move of either side cuts the return,
because the turns after it do not depend on the board before. The loss is logistic, over boards replayed from the last
generations.

A player with quiescence evaluates only quiet boards, those without a capture. The games are therefore played with
quiescence, v is the value of that search, and only quiet boards are learned from. This is ours: the text's player looks
one move ahead.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

import arena
from arena.search.logistic import probabilities
from arena_evaluators.network import copy, network_kernel, pack
from arena_evaluators.neural import KIND, encode, layers_of, planes_of
from arena_learners.backprop import Adam, MinibatchFit, Network, logistic
from arena_learners.loop import ModularLearner
from arena_learners.outcomes import lambda_returns, quiet
from arena_learners.qboard import FIRST_GAMES, HIDDEN, INPUTS, QBoard
from arena_players.qmodel import QModel as Player

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SCALE = 2.0**14
"""Kernel units per unit of the logit."""
_FIT = MinibatchFit(logistic, batch=512)
_SETTLING = 20_000
"""Games after which the rate has halved."""
_AT_ONCE = 1 << 14
"""Boards that are coded for the network at a time."""
_USUAL = 200
"""Default number of games of a generation."""
_KEPT = 0.9
"""Share of the averaged network that remains after 200 games of training."""


class PerformanceSystem:
    """Plays the move to the board with the highest value, after quiescence if set, and some random moves."""

    def __init__(self, network: Network, explore: float, quiescence: bool) -> None:
        self.network = network
        self.explore = explore
        self.quiescence = quiescence
        packed = self._packed()
        self._contexts = {side: copy(packed) for side in arena.Side}
        self._stale = False

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:
        kernel_of_side = arena.Kernel(network_kernel.address, self._contexts[side], _SCALE)
        return arena.CompiledPlayer(kernel_of_side, quiescence=self.quiescence, explore=self.explore)

    def changed(self) -> None:
        """Note that the network has changed, for the next :meth:`refresh`."""
        self._stale = True

    def refresh(self) -> None:
        if self._stale:
            packed = self._packed()
            for context in self._contexts.values():
                context[:] = packed
            self._stale = False

    def _packed(self) -> np.ndarray:
        return pack(planes_of(self.network.layers), _SCALE)


class Critic:
    """Computes the expected results of the boards of one side's turns, by TD(λ)."""

    def __init__(self, lambda_: float, discount: float, draw_reward: float, quiet_only: bool) -> None:
        """``quiet_only``: leave out boards on which the side to move must capture."""
        self.lambda_ = lambda_
        self.discount = discount
        self.draw_reward = draw_reward
        self.quiet_only = quiet_only

    def examples(self, episode: arena.Episode, side: arena.Side) -> tuple[np.ndarray, np.ndarray]:
        """Return boards (int64, (n, 3)) and targets in [0, 1] (float64, (n,)), without turns with a random move.

        If a teacher labels a board, the label is the target.
        """
        result = episode.result(side)
        final = (1 + (result or self.draw_reward)) / 2
        turns = slice(int(episode.first is not side), episode.plies, 2)
        explored = np.zeros(episode.plies + 2, bool)
        if episode.explored is not None:
            explored[: episode.plies] = episode.explored
        values = np.full(episode.plies, np.nan) if episode.values is None else episode.values
        mine = probabilities(values[turns])
        replies, next_turns = (explored[turns.start + later : episode.plies + later : 2] for later in (1, 2))
        targets = lambda_returns(mine, replies | next_turns, final, self.lambda_, self.discount)
        if episode.labels is not None:
            labels = (1 + episode.labels[:-1][turns]) / 2
            targets = np.where(np.isnan(labels), targets, labels)
        boards = episode.boards[:-1][turns]
        chosen = ~explored[: episode.plies][turns]
        if self.quiet_only:
            chosen &= quiet(boards)
        return boards[chosen], targets[chosen]


class Generalizer:
    """Fits the network to new boards and to those of the last generations (replay; Lin 1992).

    It also keeps an average of the networks after each generation, which plays more steadily than the last
    network (Polyak & Juditsky 1992).
    """

    def __init__(
        self, network: Network, seed: int, rate: float, epochs: int, capacity: int, generation: int = _USUAL
    ) -> None:
        """``epochs``: boards to learn from for each new one. ``capacity``: number of boards kept for replay.

        ``generation``: games between two updates; the rate and the average follow the games, not the updates.
        """
        self.network = network
        self.average = network.parameters.copy()
        self.optimizer = Adam(rate, len(network.parameters))
        self.seed = seed
        self.rate = rate
        self.epochs = epochs
        self.capacity = capacity
        self.boards = np.zeros((0, 3), np.uint32)
        self.targets = np.zeros(0, np.float32)
        self.generation = generation
        self.fits = 0

    def update(self, examples: tuple[np.ndarray, np.ndarray]) -> Mapping[str, float]:
        """Learn from the new boards (n, 3) and targets (n,) of a generation.

        Metrics: ``loss``; ``error``, the root mean square of target minus probability on the new boards before the fit;
        ``rate``.
        """
        boards, targets = examples[0].astype(np.uint32), examples[1].astype(np.float32)
        inputs = self.network.sizes[0]
        errors = probabilities(self.network.outputs(encode(boards, inputs))) - targets
        self.boards = np.concatenate([self.boards, boards])[-self.capacity :]
        self.targets = np.concatenate([self.targets, targets])[-self.capacity :]
        self.fits += 1
        self.optimizer.rate = self.rate / (1 + self.fits * self.generation / _SETTLING)
        random = np.random.default_rng([self.seed, self.fits])
        order = random.integers(max(len(self.boards), 1), size=self.epochs * len(boards))
        losses = 0.0
        for start in range(0, len(order), _AT_ONCE):
            chosen = order[start : start + _AT_ONCE]
            samples = encode(self.boards[chosen], inputs), self.targets[chosen], np.ones(len(chosen), np.float32)
            losses += _FIT(self.network, self.optimizer, *samples) * len(chosen)
        self.average += np.float32(1 - _KEPT ** (self.generation / _USUAL)) * (self.network.parameters - self.average)
        return {
            "loss": losses / max(len(order), 1),
            "error": float(np.sqrt((errors**2).mean())) if len(errors) else 0.0,
            "rate": self.optimizer.rate,
        }

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "counts": np.array([self.fits, self.optimizer.steps]),
            "parameters": self.network.parameters,
            "average": self.average,
            "moments": self.optimizer.moments,
            "boards": self.boards,
            "targets": self.targets,
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.fits, self.optimizer.steps = state["counts"].tolist()
        self.network.parameters[:] = state["parameters"]
        self.average[:] = state["average"]
        self.optimizer.moments[:] = state["moments"]
        self.boards, self.targets = state["boards"], state["targets"]


class QModel(ModularLearner):
    """Neural Q-model: metrics model, board model, then reinforcement of a network 32-64-32-16-8-1 by self-play.

    A generation is ``generation`` games at one ply, each after ``random_plies`` random moves. Before the first
    generation, the first two stages learn from 200 games each.
    """

    kind = KIND
    plays = "qmodel"
    idle: ClassVar = {"from": ("lambda", "explore", "random_plies")}

    def __init__(
        self,
        data: Literal["metrics", "games"] = "metrics",
        coding: Literal["signed", "planes"] = "signed",
        rate: Annotated[float, arena.Range(0)] = 0.004,
        discount: Annotated[float, arena.Range(0, 1)] = 1.0,
        lambda_: Annotated[float, arena.Range(0, 1)] = 0.8,
        explore: Annotated[float, arena.Range(0, 1)] = 0.05,
        random_plies: Annotated[int, arena.Range(0, 40)] = 8,
        draw_reward: Annotated[float, arena.Range(-1, 1)] = 0.0,
        epochs: Annotated[int, arena.Range(1)] = 4,
        replay: Annotated[int, arena.Range(1)] = 120_000,
        start: Annotated[arena.Model, arena.ModelKind(KIND, layers_of)] | None = None,
        quiescence: bool = True,
        generation: Annotated[int, arena.Range(1)] = _USUAL,
        first_value: float = 0.0,
    ) -> None:
        """``data``: begin with the first two stages, or (games) with a random network.

        ``coding``: coding of the board: 32 signed numbers, or four planes of 32 (another network, 128-64-32-16-8-1).

        ``rate``: first learning rate of the optimizer; it has halved after 20,000 games.

        ``discount``: factor of a target for each own turn. ``lambda_``: λ of TD(λ).

        ``explore``: share of random moves. ``random_plies``: random moves at the start of each game.

        ``draw_reward``: reward of a draw; a win is 1 and a loss -1.

        ``epochs``: boards to learn from for each new one. ``replay``: number of recent boards from which they come.

        ``start``: a board model or an earlier Q-model to continue from, instead of the first stages.

        ``quiescence``: games search while there are captures, and only quiet boards are learned from; false: games
        compare the next boards, and every board is learned from.

        ``generation``: games between two fits.

        ``first_value``: added to the log odds of every move before the first game, like the high first values of
        Q-learning.
        """
        self.step = generation
        self.generation = generation
        self.first_value = first_value
        self.data = data
        self.coding = coding
        self.rate = rate
        self.discount = discount
        self.lambda_ = lambda_
        self.explore = explore
        self.random_plies = random_plies
        self.draw_reward = draw_reward
        self.epochs = epochs
        self.replay = replay
        self.start = start
        self.quiescence = quiescence

    def performance_system(self) -> PerformanceSystem:
        return PerformanceSystem(self.network_, self.explore, self.quiescence)

    def critic(self) -> Critic:
        return Critic(self.lambda_, self.discount, self.draw_reward, quiet_only=self.quiescence)

    def generalizer(self) -> Generalizer:
        return Generalizer(self.network_, self.seed_, self.rate, self.epochs, self.replay, self.generation)

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.games_ = 0
        self.network_ = self._first_network(seed)
        _, output_bias = self.network_.layers[-1]
        output_bias -= np.float32(self.first_value)  # after a move the network values the board for the opponent
        self.assemble()

    def self_play(self, games: int) -> Mapping[str, float]:
        """Metrics of the last generation: ``loss``, ``error``, ``rate``, mean ``plies``, ``draw_pct``."""
        metrics: Mapping[str, float] = {}
        for _ in range(self.whole_steps(games) // self.step):
            episodes = [self.generator_.play(self.games_ + i) for i in range(self.step)]
            self.games_ += self.step
            metrics = self.learn_from(episodes)
        return metrics

    def learn_from(self, episodes: Sequence[arena.Episode]) -> Mapping[str, float]:
        sets = [self.critic_.examples(episode, side) for episode in episodes for side in episode.learners]
        boards = np.concatenate([np.zeros((0, 3), np.int64), *(boards for boards, _ in sets)])
        targets = np.concatenate([np.zeros(0), *(targets for _, targets in sets)])
        metrics = self.generalizer_.update((boards, targets))
        self.performance_.changed()
        games = max(len(episodes), 1)
        return {
            **metrics,
            "plies": sum(episode.plies for episode in episodes) / games,
            "draw_pct": 100 * sum(episode.winner is None for episode in episodes) / games,
        }

    def state(self) -> Mapping[str, np.ndarray]:
        return {"games": np.array(self.games_), **self.generalizer_.state()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.games_ = int(state["games"])
        self.generalizer_.restore(state)
        self.performance_.changed()

    def model(self) -> arena.Model:
        averaged = Network(self.network_.sizes)
        averaged.parameters[:] = self.generalizer_.average
        return arena.Model(self.kind, averaged.tensors())

    def player(self) -> arena.Player:
        return Player(self.model(), quiescence=self.quiescence)

    def _first_network(self, seed: int) -> Network:
        if self.start is not None:
            return Network.of(layers_of(self.start))
        if self.data == "games":
            network = Network((INPUTS[self.coding], *HIDDEN, 1))
            network.randomize(np.random.default_rng(seed))
            return network
        board_model = QBoard(coding=self.coding)
        board_model.open_with(self.starts)
        board_model.begin(seed)
        board_model.self_play(FIRST_GAMES)
        return board_model.network_
