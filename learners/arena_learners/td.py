"""Temporal differences with a rote memory (Melicher 2009), in a form that neither diverges nor turns against itself.

W. Melicher, The Implementation of Machine Learning in the Game of Checkers (2009), gives
U(s) += a (R + U(s') - U(s)) and a = 50 / (49 + n), and no rule for the weights. Ours, for the boards s and s' of
two successive turns of one side::

    c += a * delta * F(s) / (1 + F(s)·F(s)),   delta = R + U(s') - U(s)

R is the reward, ±``reward`` for a won or lost game and 0 for a draw, at the end, where U(s') = 0, and 0 before.
Dividing by 1 + F·F keeps each step from overshooting, and a weight never falls below ``FLOOR`` (his "false
minimum", where the program plays to lose, needs a negative one).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.search import Search
from arena_evaluators.memory import RoteMemory
from arena_evaluators.rote import FEATURES, Rote, features
from arena_players.td import TD as TDPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.search import SearchResult

FLOOR = 0.01
"""Smallest value of a weight."""
_HASTE = 0.01
"""Share of the reward by which a forced win is worth less for each ply that it takes."""


def step_size(boards: int) -> float:
    """The learning coefficient a = 50 / (49 + n) after n >= 1 boards (Melicher 2009): 1, and falling."""
    return 50 / (49 + boards)


class TD(arena.Learner):
    """TD on three differences with a = 50/(49+n), and a rote memory of every board met (Melicher 2009), by self-play.

    Every board met goes to the memory with the value that the search backed up to it, as in the rote learning
    that he cites; later searches recall it, and so look further. The model keeps the ``capacity`` boards
    met most often, searched once more with the final weights so that all values speak of the same function.
    """

    kind = "td"

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 3,
        reward: Annotated[float, arena.Range(0)] = 10.0,
        explore: Annotated[float, arena.Range(0, 1)] = 0.1,
        capacity: Annotated[int, arena.Range(0)] = 20_000,
        start: Annotated[arena.Model, arena.Kind("td", RoteMemory.of)] | None = None,
    ) -> None:
        """``depth``: plies of search when playing, and of the values that are remembered.

        ``reward``: value of a won game, in the units of U. ``explore``: share of moves that are random.
        ``capacity``: most boards that the model keeps. ``start``: weights and memory of an earlier run to go on from.
        """
        self.depth = depth
        self.reward = reward
        self.explore = explore
        self.capacity = capacity
        self.start = start

    def begin(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.random_ = random
        self.weights_ = np.ones(FEATURES)
        self.memory_ = RoteMemory()
        self.boards_ = 0
        if self.start is not None:
            self.memory_ = RoteMemory.of(self.start)
            self.weights_ = self.start.tensors["weights"].copy()
            self.boards_ = int(self.start.tensors["played"])

    def practise(self, games: int) -> Mapping[str, float]:
        for _ in range(games):
            metrics = self._step()
        return metrics

    def state(self) -> Mapping[str, np.ndarray]:
        raise NotImplementedError

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        raise NotImplementedError

    def _step(self) -> Mapping[str, float]:
        """Metrics: plies, mean squared delta, step size a, weights c1..c3, boards remembered, floor hits."""
        search = self._search(self.memory_)
        game = arena.Game(random=self.random_)
        before = None
        while game.outcome is None:
            result = search(game, self.depth, random=self.random_)
            self.memory_.meet(game.board, self._value(search, result), before)
            before = game.board
            moves = game.board.legal_moves
            if self.random_.random() < self.explore:
                game.play(moves[self.random_.integers(len(moves))])
            else:
                game.play(result.move)
        learned = [self._learn(game, side) for side in arena.Side]
        squares, floored = (sum(numbers) for numbers in zip(*learned, strict=True))
        names = (f"c{i + 1}" for i in range(FEATURES))
        return {
            "plies": game.ply,
            "squared_delta": squares / max(game.ply, 1),
            "step_size": step_size(self.boards_),
            **dict(zip(names, self.weights_.tolist(), strict=True)),
            "boards": len(self.memory_),
            "floored": floored,
        }

    def model(self) -> arena.Model:
        kept = self.memory_.most_visited(self.capacity)
        search = self._search(kept)
        boards = (arena.Board(*masks) for masks in kept.boards.tolist())
        kept.revalue(np.array([self._value(search, search(board, self.depth)) for board in boards], dtype=np.float32))
        played = np.array(self.boards_, dtype=np.int64)
        return arena.Model(self.kind, {"weights": self.weights_, "played": played, **kept.tensors()})

    def player(self) -> arena.Player:
        return TDPlayer(self.model(), self.depth)

    def _search(self, memory: RoteMemory) -> Search:
        tensors = {"weights": self.weights_, "boards": memory.boards, "values": memory.values}
        return Search(Rote(arena.Model(self.kind, tensors)))

    def _value(self, search: Search, result: SearchResult) -> float:
        """The backed-up value in units of the reward's scale; forced wins and losses by their distance."""
        if not search.is_decided(result.score):
            return float(np.clip(result.score, -self.reward, self.reward))
        distance = len(result.pv)
        return float(np.sign(result.score)) * self.reward * max(0.5, 1 - _HASTE * distance)

    def _learn(self, game: arena.Game, side: arena.Side) -> tuple[float, int]:
        """Apply the rule to every turn of one side; sum of squared deltas, and how often a weight met the floor."""
        winner = game.outcome.winner if game.outcome else None
        final = 0.0 if winner is None else self.reward if winner is side else -self.reward
        turns = [np.array(features(*board.relative), dtype=float) for board in game.boards[:-1] if board.side is side]
        squares, floored = 0.0, 0
        for turn, counts in enumerate(turns):
            self.boards_ += 1
            last = turn + 1 == len(turns)
            target = final if last else float(self.weights_ @ turns[turn + 1])
            delta = target - float(self.weights_ @ counts)
            self.weights_ += step_size(self.boards_) * delta * counts / (1 + counts @ counts)
            squares += delta**2
            floored += int((self.weights_ < FLOOR).sum())
            np.maximum(self.weights_, FLOOR, out=self.weights_)
        return squares, floored
