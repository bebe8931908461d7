"""The learning loop of all schemes, in the four modules of Mitchell, *Machine Learning* (1997), chapter 1.

The experiment generator sets up a game and the performance system plays it. The critic turns the finished game into
training examples. The generalizer moves the hypothesis towards them. Then the next game begins. Each module is an
object, made by a method of :class:`ModularLearner`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

import arena
from arena.checkers.splitmix64 import SplitMix64
from arena.search.values import INFINITY, NEVER, WIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class PerformanceSystem(Protocol):
    """Plays games with the current hypothesis."""

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:
        """Return the player of ``side`` for compiled games. Called once for each side."""

    def refresh(self) -> None:
        """Adopt the generalizer's changes. Called before each game."""


class ExperimentGenerator(Protocol):
    """Sets up games and lets the performance system play them."""

    def play(self, number: int) -> arena.Episode:
        """Play game ``number`` of the run, from 0."""


class Critic(Protocol):
    """Turns finished games into training examples."""

    def examples(self, episode: arena.Episode, side: arena.Side) -> Any:
        """Return the training examples of one side, in the form that the generalizer takes."""


class Generalizer(Protocol):
    """Fits the hypothesis to training examples."""

    def update(self, examples: Any) -> Mapping[str, float]:
        """Move the hypothesis towards the examples; return metrics by name."""


class SelfPlayer(arena.Learner):
    """A learner whose games of self-play can start from an opening book."""

    starts: arena.Starts = arena.USUAL_START
    """The boards from which they start."""

    def open_with(self, starts: arena.Starts) -> None:
        self.starts = starts


class ModularLearner(SelfPlayer):
    """A learner made of the four modules.

    To replace a module, derive from the learner and override the method that makes it. The methods run in the
    order in which they are defined here, so each can use the modules made before it.
    """

    random_plies: int
    """Number of random moves at the start of each game of self-play."""
    seed_: int
    performance_: Any
    critic_: Any
    generalizer_: Any
    generator_: ExperimentGenerator

    @abstractmethod
    def performance_system(self) -> PerformanceSystem:
        """Make ``performance_``, which plays the games."""

    @abstractmethod
    def critic(self) -> Critic:
        """Make ``critic_``, which turns games into training examples."""

    @abstractmethod
    def generalizer(self) -> Generalizer:
        """Make ``generalizer_``, which learns from the examples."""

    def experiment_generator(self) -> ExperimentGenerator:
        """Make ``generator_``, which sets up the games of ``performance_`` against itself."""
        return SelfPlay(self.performance_, self.seed_, self.random_plies, starts=self.starts)

    def assemble(self) -> None:
        """Make the four modules, for ``seed_`` and the current hypothesis."""
        self.performance_ = self.performance_system()
        self.critic_ = self.critic()
        self.generalizer_ = self.generalizer()
        self.generator_ = self.experiment_generator()


class SelfPlay:
    """Experiment generator for compiled games of the performance system against itself."""

    def __init__(
        self,
        performance: PerformanceSystem,
        seed: int,
        random_plies: int = 0,
        rules: arena.DrawRules = arena.DEFAULT_RULES,
        starts: arena.Starts = arena.USUAL_START,
    ) -> None:
        from arena.search.selfplay import Games

        self.performance = performance
        self.seed = seed
        self.starts = starts
        black, white = (performance.compiled(side) for side in arena.Side)
        self._games = Games(black, white, rules, random_plies)

    def play(self, number: int) -> arena.Episode:
        self.performance.refresh()
        return self._games.play(self.seed, number, self.starts.of_game(number))


class StepByStep:
    """Plays the same games as :class:`SelfPlay` move by move in plain Python, for reading and for tests."""

    def __init__(
        self,
        performance: PerformanceSystem,
        seed: int,
        random_plies: int = 0,
        rules: arena.DrawRules = arena.DEFAULT_RULES,
        moved: Callable[[arena.Game], None] = lambda _: None,
        starts: arena.Starts = arena.USUAL_START,
    ) -> None:
        """``moved`` is called after each move. If it changes the hypothesis, the next move uses the change."""
        self.performance = performance
        self.seed = seed
        self.random_plies = random_plies
        self.rules = rules
        self.moved = moved
        self.starts = starts
        self._players = {side: performance.compiled(side) for side in arena.Side}

    def play(self, number: int) -> arena.Episode:
        self.performance.refresh()
        chance = SplitMix64(self.seed, number)
        game = arena.Game(self.starts.of_game(number), self.rules)
        explored, values = [], []
        while game.outcome is None:
            player = self._players[game.side]
            moves = game.board.legal_moves
            random = game.ply < self.random_plies or (player.explore > 0 and chance.unit() < player.explore)
            value, move = (np.nan, moves[chance.below(len(moves))]) if random else _choice(game, player, chance)
            explored.append(random)
            values.append(value)
            game.play(move)
            self.moved(game)
        return replace(
            arena.Episode.of(game), explored=np.array(explored, dtype=bool), values=np.array(values, dtype=float)
        )


def _choice(game: arena.Game, player: arena.CompiledPlayer, chance: SplitMix64) -> tuple[float, arena.Move]:
    """Return the value of the position in the evaluator's units, and the best move or one drawn by softmax."""
    scale = player.kernel.scale if player.kernel else 1.0
    values = []
    for move in game.board.legal_moves:
        game.play(move)
        values.append(-_minimax(game, player, player.depth - 1, 1))
        game.undo()
    best = max(values)
    if player.temperature > 0:
        weights = np.exp((np.array(values, dtype=float) - best) / (player.temperature * scale))
        left = chance.unit() * weights.sum()
        drawn = int((np.subtract.accumulate([left, *weights])[1:] >= 0).sum())
        return best / scale, game.board.legal_moves[min(drawn, len(values) - 1)]
    chosen, highest, ties = 0, -INFINITY, 1
    for i, value in enumerate(values):
        if value > highest:
            chosen, highest, ties = i, value, 1
        elif value == highest:
            ties += 1
            chosen = i if chance.below(ties) == 0 else chosen
    return best / scale, game.board.legal_moves[chosen]


def _minimax(game: arena.Game, player: arena.CompiledPlayer, depth: int, ply: int) -> int:
    """Return the search value of the position, in kernel units for the side to move."""
    moves = game.board.legal_moves
    if not moves:
        return ply - WIN
    if game.repetitions > 1 or game.quiet_plies >= (game.rules.quiet_plies or NEVER):
        return 0
    if depth <= 0 and not (player.quiescence and moves[0].captures):
        return round(player.kernel.evaluate(game.board) * player.kernel.scale) if player.kernel else 0
    best = -INFINITY
    for move in moves:
        game.play(move)
        best = max(best, -_minimax(game, player, depth - 1, ply + 1))
        game.undo()
    return best


def norm(weights: np.ndarray) -> float:
    """Return the Euclidean norm. Unlike NumPy's, it does not depend on the number of threads."""
    return float(np.sqrt((weights**2).sum()))
