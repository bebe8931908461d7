"""The learning loop that the schemes share, in the four modules of Mitchell, Machine Learning (1997), chapter 1.

The experiment generator sets up a game and has the performance system play it; the critic makes training examples of
the finished game; the generalizer moves the hypothesis towards them; and what it learned plays the next game. Each
is an object of its own: to replace one, derive from the learner and override the method that makes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

import arena
from arena.checkers.chance import Chance
from arena.checkers.game import DEFAULT_RULES
from arena.search.values import INFINITY, NEVER, WIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class PerformanceSystem(Protocol):
    """Plays by what has been learned so far."""

    def seat(self, side: arena.Side) -> arena.Seat:
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


class SelfPlay:
    """The experiment generator for games of the performance system against itself, compiled."""

    def __init__(
        self,
        performance: PerformanceSystem,
        seed: int,
        random_plies: int = 0,
        rules: arena.DrawRules = DEFAULT_RULES,
    ) -> None:
        from arena.search.selfplay import Games

        self.performance = performance
        self.seed = seed
        black, white = (performance.seat(side) for side in arena.Side)
        self._games = Games(black, white, rules, random_plies)

    def play(self, number: int) -> arena.Episode:
        self.performance.refresh()
        return self._games.play(self.seed, number)


class StepByStep:
    """The same games as :class:`SelfPlay`, played move by move in plain Python: to be read, and to check it."""

    def __init__(
        self,
        performance: PerformanceSystem,
        seed: int,
        random_plies: int = 0,
        rules: arena.DrawRules = DEFAULT_RULES,
        moved: Callable[[arena.Game], None] = lambda _: None,
    ) -> None:
        """``moved`` is called after each move: what it makes the performance system learn counts for the next one."""
        self.performance = performance
        self.seed = seed
        self.random_plies = random_plies
        self.rules = rules
        self.moved = moved
        self._seats = {side: performance.seat(side) for side in arena.Side}

    def play(self, number: int) -> arena.Episode:
        self.performance.refresh()
        chance = Chance(self.seed, number)
        game = arena.Game(rules=self.rules)
        explored, values = [], []
        while game.outcome is None:
            seat = self._seats[game.side]
            moves = game.board.legal_moves
            random = game.ply < self.random_plies or (seat.explore > 0 and chance.unit() < seat.explore)
            value, move = (np.nan, moves[chance.below(len(moves))]) if random else _choice(game, seat, chance)
            explored.append(random)
            values.append(value)
            game.play(move)
            self.moved(game)
        episode = arena.Episode.of(game)
        return arena.Episode(
            episode.boards,
            episode.winner,
            episode.first,
            explored=np.array(explored, dtype=bool),
            values=np.array(values, dtype=float),
        )


def _choice(game: arena.Game, seat: arena.Seat, chance: Chance) -> tuple[float, arena.Move]:
    """The value of the position in the evaluator's units, and a move: the best, or one drawn by softmax."""
    scale = seat.kernel.scale if seat.kernel else 1.0
    values = []
    for move in game.board.legal_moves:
        game.play(move)
        values.append(-_minimax(game, seat, seat.depth - 1, 1))
        game.undo()
    best = max(values)
    if seat.temperature > 0:
        weights = np.exp((np.array(values, dtype=float) - best) / (seat.temperature * scale))
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


def _minimax(game: arena.Game, seat: arena.Seat, depth: int, ply: int) -> int:
    """The value that the search gives the position, in kernel units for the side to move."""
    moves = game.board.legal_moves
    if not moves:
        return ply - WIN
    if game.repetitions > 1 or game.quiet_plies >= (game.rules.quiet_plies or NEVER):
        return 0
    if depth <= 0 and not (seat.quiescence and moves[0].captures):
        return round(seat.kernel.evaluate(game.board) * seat.kernel.scale) if seat.kernel else 0
    best = -INFINITY
    for move in moves:
        game.play(move)
        best = max(best, -_minimax(game, seat, depth - 1, ply + 1))
        game.undo()
    return best
