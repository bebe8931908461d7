"""The learning loop that the schemes share, in the four modules of Mitchell, Machine Learning (1997), chapter 1.

The experiment generator sets up a game and has the performance system play it; the critic makes training examples of
the finished game; the generalizer moves the hypothesis towards them; and what it learned plays the next game. Each
is an object of its own, which a method of :class:`ModularLearner` makes.
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
    """Plays by what has been learned so far."""

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:
        """What plays the pieces of ``side`` in compiled games; asked for once."""

    def refresh(self) -> None:
        """Take up what the generalizer has changed; called before each game."""


class ExperimentGenerator(Protocol):
    """Sets up the next game and has it played."""

    def play(self, number: int) -> arena.Episode:
        """Game ``number`` of the run, from 0."""


class Critic(Protocol):
    """Makes training examples of a finished game."""

    def examples(self, episode: arena.Episode, side: arena.Side) -> Any:
        """What the player of ``side`` can learn from the game, as the generalizer takes it."""


class Generalizer(Protocol):
    """Fits the hypothesis to training examples."""

    def update(self, examples: Any) -> Mapping[str, float]:
        """Move the hypothesis towards the examples; what there is to measure, by name."""


class SelfPlayer(arena.Learner):
    """A learner whose games against itself may start from an opening book."""

    starts: arena.Starts = arena.USUAL_START
    """Where they start."""

    def open_with(self, starts: arena.Starts) -> None:
        self.starts = starts


class ModularLearner(SelfPlayer):
    """A learner made of the four modules.

    To replace a module, derive from the learner and override the method that makes it. The methods are called in the
    order in which they stand here, so that one finds what those before it made.
    """

    random_plies: int
    """The first moves of each game of self-play, which are random."""
    seed_: int
    performance_: Any
    critic_: Any
    generalizer_: Any
    generator_: ExperimentGenerator

    @abstractmethod
    def performance_system(self) -> PerformanceSystem:
        """Makes ``performance_``, which plays the games."""

    @abstractmethod
    def critic(self) -> Critic:
        """Makes ``critic_``, which turns games into training examples."""

    @abstractmethod
    def generalizer(self) -> Generalizer:
        """Makes ``generalizer_``, which learns from the examples."""

    def experiment_generator(self) -> ExperimentGenerator:
        """Makes ``generator_``, which sets up the games of ``performance_`` against itself."""
        return SelfPlay(self.performance_, self.seed_, self.random_plies, starts=self.starts)

    def assemble(self) -> None:
        """Make the four modules, around ``seed_`` and what has been learned."""
        self.performance_ = self.performance_system()
        self.critic_ = self.critic()
        self.generalizer_ = self.generalizer()
        self.generator_ = self.experiment_generator()


class SelfPlay:
    """The experiment generator for games of the performance system against itself, compiled."""

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
    """The same games as :class:`SelfPlay`, played move by move in plain Python: to be read, and to check it."""

    def __init__(
        self,
        performance: PerformanceSystem,
        seed: int,
        random_plies: int = 0,
        rules: arena.DrawRules = arena.DEFAULT_RULES,
        moved: Callable[[arena.Game], None] = lambda _: None,
        starts: arena.Starts = arena.USUAL_START,
    ) -> None:
        """``moved`` is called after each move: what it makes the performance system learn counts for the next one."""
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
    """The value of the position in the evaluator's units, and a move: the best, or one drawn by softmax."""
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
    """The value that the search gives the position, in kernel units for the side to move."""
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
    """The square root of the sum of squares; unlike NumPy's it does not depend on the number of threads."""
    return float(np.sqrt((weights**2).sum()))
