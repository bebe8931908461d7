"""Temporal differences with a rote memory (Melicher 2009), in a form that does not diverge or learn to lose.

W. Melicher, *The Implementation of Machine Learning in the Game of Checkers* (2009), learns weights by temporal
differences. He also keeps a memory of every board met, whose counts make the steps smaller. Our use of the memory in
play follows the rote learning that he cites (Samuel 1959). The memory holds the value that the search backed up to a
board. Later searches that reach the board recall the value and so look further.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

import arena
from arena.checkers.bitboard import MAX_MOVES, generate
from arena_evaluators.memory import RoteMemory
from arena_evaluators.rote import (
    FEATURES,
    HIGHEST,
    WEIGHTS,
    WON,
    context_of,
    in_kernel_units,
    remembered,
    rote_kernel,
    tensors_of,
    weighed,
)
from arena_learners.loop import ModularLearner, StepByStep, norm
from arena_learners.temporal import (
    FLOOR,
    Alpha,
    CompiledRule,
    Count,
    PlainRule,
    Settings,
    Turns,
    report,
    step_size,
)
from arena_players.td import TD as TDPlayer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from arena_learners.loop import ExperimentGenerator
    from arena_learners.temporal import Rule

HIGHEST_SUM = 36
"""Largest sum of the features. With weights up to the reward, U times the scale is at most HIGHEST."""
MODEL_DEPTH = 3
"""Depth of the search that gives the boards of a model their values, in plies."""
DIVERGED = 10
"""Weights have diverged if one of them is worth more than this number of won games."""
_NONE = np.zeros(0, dtype=np.int64)


def start_of(model: arena.Model) -> Mapping[str, np.ndarray]:
    """Return the tensors of a model from which learning can continue. Raises ModelError if they are missing."""
    tensors_of(model)
    return model.require("td", {"counts": (4,), "games": ()})


class PerformanceSystem:
    """Plays with the weights and the memory at the beginning of each game."""

    def __init__(self, weights: np.ndarray, memory: RoteMemory | None, scale: float, options: TD) -> None:
        """``weights`` (c1 to c3) and ``memory`` are read again for each game. ``scale``: kernel units per unit of U."""
        self._weights = weights
        self._memory = memory
        self._scale = scale
        self._options = options
        total = options.kings == "total"
        novelty = round(options.novelty * scale)
        contexts = [context_of(memory, total, side, novelty) for side in arena.Side]
        self._contexts = np.stack([*contexts, context_of(memory, total, arena.Side.BLACK)])
        self.context = self._contexts[-1]
        """Context of the evaluator without the bonus for novelty; the side to move counts as Black: int64."""
        self.refresh()

    @property
    def kernel(self) -> arena.Kernel:
        """The evaluator without the bonus for novelty."""
        return arena.Kernel(rote_kernel.address, self.context, self._scale, keepalive=self)

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:
        options = self._options
        kernel = arena.Kernel(rote_kernel.address, self._contexts[side], self._scale, keepalive=self)
        return arena.CompiledPlayer(kernel, options.depth, options.quiescence, options.explore, options.temperature)

    def refresh(self) -> None:
        self._contexts[:, WEIGHTS:] = in_kernel_units(self._weights, self._scale)


class Critic:
    """Makes the training examples of each side of a game.

    R is the reward at the end of the game, in units of U. n of a position is the number from which the formula
    ``alpha`` computes the step size.
    """

    def __init__(self, reward: float, counts: Callable[[arena.Episode], np.ndarray]) -> None:
        """``counts``: returns n of each position of a game, int64, (plies + 1,), or (0,) if the rule counts itself."""
        self.reward = reward
        self.counts = counts

    def examples(self, episode: arena.Episode, side: arena.Side) -> Turns:
        explored = np.zeros(episode.plies, dtype=bool) if episode.explored is None else episode.explored
        reward = self.reward * episode.result(side)
        return Turns(episode.boards, int(side is not episode.first), reward, explored, self.counts(episode))


class TD(ModularLearner):
    """TD on three features with a = 50/(49+n), and a rote memory of the boards met (Melicher 2009), by self-play.

    The memory stores every board met with the value that the search backed up to it. Later searches recall the value
    and so look further. A model's boards are searched once more with the final weights, so that all values belong to
    one function. ``normalised=false:guarded=false`` is the rule as written: runs diverge and learn to lose.
    """

    kind = "td"
    plays = "td"
    idle: ClassVar = {
        "against": ("temperature", "novelty"),
        "from": ("temperature", "novelty", "explore", "random_plies"),
    }

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = False,
        kings: Literal["difference", "total"] = "difference",
        alpha: Alpha = "50/(49+n)",
        n: Count = "boards",
        lambda_: Annotated[float, arena.Range(0, 1)] = 0.0,
        reward: Literal["result", "win_probability"] = "result",
        won: Annotated[float, arena.Range(0.001, 1000)] = 10.0,
        normalised: bool = True,
        guarded: bool = True,
        capacity: Annotated[int, arena.Range(0, 10_000_000)] = 20_000,
        explore: Annotated[float, arena.Range(0, 1)] = 0.1,
        temperature: Annotated[float, arena.Range(0)] = 0.0,
        novelty: Annotated[float, arena.Range(0)] = 0.0,
        random_plies: Annotated[int, arena.Range(0)] = 0,
        start: Annotated[arena.Model, arena.ModelKind("td", start_of)] | None = None,
        learn: Literal["both", "memory", "weights"] = "both",
    ) -> None:
        """``depth``: plies to search in self-play. ``quiescence``: search below ``depth`` while there are captures.

        ``kings``: F2 is the difference of the kings or, as in a caption of the text, their total.

        ``alpha``: formula of the step size. ``n``: its n: boards learned from, visits of the board, or games.

        ``lambda_``: the lambda of TD(lambda).

        ``reward``: U predicts the result, or the win probability through a logistic. ``won``: R of a won game, in
        units of U.

        ``normalised``: divide steps by 1 + F·F. ``guarded``: keep weights between 0.01 and ``won``.

        ``capacity``: maximum number of remembered boards; 0: no memory.

        ``explore``: share of random moves. ``temperature``: softmax temperature, in units of U; 0: the best move.
        ``random_plies``: random moves at the start of each game.

        ``novelty``: bonus in self-play for a board never met, in units of U; a board met v times gets 1/(1 + v) of it.

        ``start``: weights and memory of an earlier run to continue from.

        ``learn``: what games change: the weights and the memory; the memory alone, with a static evaluation (De Jong &
        Schultz, as Melicher cites them); or the weights alone, as with ``capacity=0``.
        """
        self.depth = depth
        self.quiescence = quiescence
        self.kings = kings
        self.alpha = alpha
        self.n = n
        self.lambda_ = lambda_
        self.reward = reward
        self.won = won
        self.normalised = normalised
        self.guarded = guarded
        self.capacity = capacity
        self.explore = explore
        self.temperature = temperature
        self.novelty = novelty
        self.random_plies = random_plies
        self.start = start
        self.learn = learn

    def check(self) -> None:
        if not self._remembers and (self.n == "visits" or self.novelty):
            raise arena.UsageError(
                "n=visits and novelty need a memory: give a capacity above 0 and learn=memory or learn=both"
            )
        if self.learn == "memory" and not self._remembers:
            raise arena.UsageError("learn=memory needs a memory: give a capacity above 0")

    def begin(self, seed: int) -> None:
        self.check()
        self.seed_ = seed
        self.scale = HIGHEST / (HIGHEST_SUM * self.won)
        self.weights_ = np.ones(FEATURES)
        self.counts_ = np.zeros(4, dtype=np.int64)
        self.games_ = 0
        self.memory_ = RoteMemory(self.capacity) if self._remembers else None
        if self.start is not None:
            tensors = start_of(self.start)
            if tensors["scale"] != self.scale or bool(tensors["total"]) != (self.kings == "total"):
                raise arena.UsageError(
                    f"{self.start} was learned with other options: give the same values of won and kings"
                )
            self._resume(tensors)
        self.assemble()

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self._resume(state)
        self.assemble()

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "weights": self.weights_.copy(),
            "counts": self.counts_.copy(),
            "games": np.array(self.games_, dtype=np.int64),
            **(RoteMemory(1) if self.memory_ is None else self.memory_).tensors(),
        }

    def performance_system(self) -> PerformanceSystem:
        return PerformanceSystem(self.weights_, self.memory_, self.scale, self)

    def settings(self) -> Settings:
        """Return the settings of the rule."""
        return Settings(
            reward=self.won,
            alpha=self.alpha,
            lambda_=self.lambda_,
            total=self.kings == "total",
            win_probability=self.reward == "win_probability",
            normalised=self.normalised,
            guarded=self.guarded,
        )

    def counts(self, episode: arena.Episode) -> np.ndarray:
        """Return n of each position of a game after its boards are in the memory; empty if the rule counts boards."""
        if self.n == "games":
            return np.full(episode.plies + 1, self.games_)
        if self.n == "visits" and self.memory_ is not None:
            return self.memory_.visits_of(episode.boards)
        return _NONE

    def critic(self) -> Critic:
        return Critic(self.won, self.counts)

    def generalizer(self) -> Rule:
        return CompiledRule(self.settings(), self.weights_, self.counts_)

    def self_play(self, games: int) -> Mapping[str, float]:
        episodes = (self.generator_.play(self.games_) for _ in range(games))
        return self._learn(map(self._searched, episodes) if self.novelty else episodes)

    def learn_from(self, episodes: Sequence[arena.Episode]) -> Mapping[str, float]:
        if any(episode.labels is not None or episode.better for episode in episodes):
            raise arena.UsageError("td cannot learn from a teacher; lms, qmodel and regression can")
        return self._learn(self._searched(episode) for episode in episodes)

    def model(self) -> arena.Model:
        tensors = dict(self.state())
        tensors |= {"scale": np.array(self.scale), "total": np.array(int(self.kings == "total"), dtype=np.int64)}
        if self.memory_ is not None:
            from arena_learners.lookahead import lookahead

            self.performance_.refresh()
            values = lookahead(self.performance_.kernel, tensors["boards"].astype(np.int64), MODEL_DEPTH)
            tensors["values"] = np.array([remembered(value) for value in values.tolist()], dtype=np.int32)
        return arena.Model(self.kind, tensors)

    def player(self) -> arena.Player:
        return TDPlayer(self.model())

    def sparring(self) -> arena.Player:
        from arena_learners.sparring import Sparring

        self.performance_.refresh()
        return Sparring(self.performance_.kernel, MODEL_DEPTH)

    def backed_up(self, episode: arena.Episode) -> tuple[np.ndarray, np.ndarray]:
        """Return the values to remember for a game's boards (int64, (plies + 1,)), and whether each value is known.

        A value is known if it comes from a search or from the end of the game; else it comes from the weights.
        """
        values = np.full(episode.plies, np.nan) if episode.values is None else episode.values
        return _backed_up(episode.boards, values, self.scale, self.performance_.context)

    def _searched(self, episode: arena.Episode) -> arena.Episode:
        """Return the same game with the values of the learner's own search, without the bonus for novelty."""
        from arena_learners.lookahead import lookahead

        self.performance_.refresh()
        values = lookahead(self.performance_.kernel, episode.boards[:-1], self.depth, self.quiescence)
        return replace(episode, values=values / self.scale)

    def _learn(self, episodes: Iterable[arena.Episode]) -> Mapping[str, float]:
        """Learn from games. Metrics: means over the games; weights, counts and memory after the last game.

        ``step_size``: of the next board, or of a new board if n=visits. ``drift``: distance that the weights moved,
        relative to their norm. ``negative``: number of negative weights. ``diverged``: 1 if a weight is worth more than
        DIVERGED won games. ``bytes_per_game``: size of the memory divided by the games learned from.
        """
        before = self.weights_.copy()
        learned, games, plies, squares = int(self.counts_[0]), 0, 0, 0.0
        for episode in episodes:
            self.games_ += 1
            games += 1
            plies += episode.plies
            if self.memory_ is not None:
                self.memory_.meet(episode.boards, *self.backed_up(episode))
            for side in episode.learners if self.learn != "memory" else ():
                squares += self.generalizer_.update(self.critic_.examples(episode, side))["squared_delta"]
        n = {"boards": int(self.counts_[0]), "games": self.games_, "visits": 1}[self.n]
        size = float(np.abs(self.weights_).max())
        return {
            "plies": plies / max(games, 1),
            "squared_delta": squares / max(int(self.counts_[0]) - learned, 1),
            "step_size": step_size(max(n, 1), self.alpha),
            **report(self.generalizer_),
            "drift": norm(self.weights_ - before) / max(norm(before), FLOOR),
            "negative": float((self.weights_ < 0).sum()),
            "diverged": float(size > DIVERGED * self.won),
            "boards": 0.0 if self.memory_ is None else float(len(self.memory_)),
            "bytes_per_game": 0.0 if self.memory_ is None else self.memory_.bytes / max(self.games_, 1),
        }

    @property
    def _remembers(self) -> bool:
        return self.capacity > 0 and self.learn != "weights"

    def _resume(self, tensors: Mapping[str, np.ndarray]) -> None:
        self.weights_ = tensors["weights"].copy()
        self.counts_ = tensors["counts"].copy()
        self.games_ = int(tensors["games"])
        if self._remembers:
            self.memory_ = RoteMemory.of(tensors, self.capacity)


class PlainTD(TD):
    """The same learner, one step at a time in plain Python, for reading and for tests of the compiled one."""

    def experiment_generator(self) -> ExperimentGenerator:
        return StepByStep(self.performance_, self.seed_, self.random_plies, starts=self.starts)

    def generalizer(self) -> Rule:
        return PlainRule(self.settings(), self.weights_, self.counts_)

    def backed_up(self, episode: arena.Episode) -> tuple[np.ndarray, np.ndarray]:
        values = np.zeros(episode.plies + 1, dtype=np.int64)
        known = np.zeros(episode.plies + 1, dtype=bool)
        for ply in range(episode.plies + 1):
            board = episode.board(ply)
            searched = np.nan if episode.values is None or ply == episode.plies else episode.values[ply]
            if not board.legal_moves:
                values[ply], known[ply] = -WON, True
            elif np.isnan(searched):
                values[ply] = weighed(*board.relative, 0, self.performance_.context)
            else:
                values[ply], known[ply] = remembered(round(searched * self.scale)), True
        return values, known


@arena.kernel
def _backed_up(
    boards: np.ndarray, searched: np.ndarray, scale: float, context: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    values = np.zeros(len(boards), dtype=np.int64)
    known = np.zeros(len(boards), dtype=np.bool_)
    moves = np.empty(MAX_MOVES, dtype=np.int64)
    for ply in range(len(boards)):
        own, opp, kings = boards[ply]
        if ply < len(searched) and not np.isnan(searched[ply]):
            values[ply], known[ply] = remembered(int(np.rint(searched[ply] * scale))), True
        elif generate(own, opp, kings, moves, 0) == 0:
            values[ply], known[ply] = -WON, True
        else:
            values[ply] = weighed(own, opp, kings, 0, context)
    return values, known
