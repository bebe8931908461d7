"""Temporal differences with a rote memory (Melicher 2009), in a form that neither diverges nor turns against itself.

W. Melicher, The Implementation of Machine Learning in the Game of Checkers (2009): weights that follow temporal
differences, and a memory of every board met whose counts make the steps smaller. What the memory adds in play is of
the rote learning that he cites: it holds the value that the search backed up to a board, and later searches that come
to that board recall it, and so look further (Samuel 1959).
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
"""Largest sum of the features; with weights up to the reward, U times the scale just reaches HIGHEST."""
MODEL_DEPTH = 3
"""Plies of the search that values the boards of a model."""
DIVERGED = 10
"""Weights count as diverged where one of them is worth more than this many won games."""
_NONE = np.zeros(0, dtype=np.int64)


def start_of(model: arena.Model) -> Mapping[str, np.ndarray]:
    """What learning goes on from; raises ModelError where a model does not hold it."""
    tensors_of(model)
    return model.require("td", {"counts": (4,), "games": ()})


class PerformanceSystem:
    """Plays by weights and memory as they are when a game begins."""

    def __init__(self, weights: np.ndarray, memory: RoteMemory | None, scale: float, options: TD) -> None:
        """``weights``: c1 to c3, and ``memory``: both are read anew for each game. ``scale``: kernel units to a unit of
        U."""
        self._weights = weights
        self._memory = memory
        self._scale = scale
        self._options = options
        total = options.kings == "total"
        novelty = round(options.novelty * scale)
        contexts = [context_of(memory, total, side, novelty) for side in arena.Side]
        self._contexts = np.stack([*contexts, context_of(memory, total, arena.Side.BLACK)])
        self.context = self._contexts[-1]
        """Of the same evaluator without the bonus for novelty, the mover counting as Black: int64."""
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
    """Says what each side can learn from a game: R at its end, and which n each step follows."""

    def __init__(self, reward: float, counts: Callable[[arena.Episode], np.ndarray]) -> None:
        """``counts``: n of each position of a game, int64, (plies + 1,); (0,) where the rule counts for itself."""
        self.reward = reward
        self.counts = counts

    def examples(self, episode: arena.Episode, side: arena.Side) -> Turns:
        explored = np.zeros(episode.plies, dtype=bool) if episode.explored is None else episode.explored
        reward = self.reward * episode.result(side)
        return Turns(episode.boards, int(side is not episode.first), reward, explored, self.counts(episode))


class TD(ModularLearner):
    """TD on three features with a = 50/(49+n), and a rote memory of the boards met (Melicher 2009), by self-play.

    Every board met goes to the memory with the value that the search backed up to it; later searches recall it, and so
    look further. In a model all boards are searched once more by the final weights, so that their values speak of the
    same function. ``normalised=false:guarded=false`` is the rule as written: runs diverge, and learn to lose.
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
        """``depth``: plies of search in self-play. ``quiescence``: and on while there are captures.

        ``kings``: whether F2 is their difference or, as a caption of the text has it, their total. ``alpha``, ``n``:
        the step size, and what it counts: boards learned from, visits of the board, or games. ``lambda_``: the lambda
        of TD(lambda). ``reward``: U predicts the result itself, or by a logistic the win probability. ``won``: R of
        a won game, in the units of U. ``normalised``, ``guarded``: whether steps are divided by 1 + F·F, and weights
        kept from 0.01 to ``won``. ``capacity``: most boards that are remembered; 0: no memory.
        ``explore``: share of random moves. ``temperature``: of softmax, in units of U. ``novelty``: what a board never
        met seems worth more, in units of U, one met v times 1/(1 + v) of it. ``random_plies``: random first moves.
        ``start``: weights and memory of an earlier run to go on from. ``learn``: both; the memory alone, on a static
        evaluation whose weights stay as they start (De Jong & Schultz, as Melicher cites them); or the weights alone,
        as with ``capacity=0``.
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

    def begin(self, seed: int) -> None:
        if not self._remembers and (self.n == "visits" or self.novelty):
            raise arena.UsageError(
                "without memory (capacity=0, learn=weights) there are no visits: n=visits and novelty need them"
            )
        if self.learn == "memory" and not self._remembers:
            raise arena.UsageError("learn=memory needs a memory: give a capacity above 0")
        self.seed_ = seed
        self.scale = HIGHEST / (HIGHEST_SUM * self.won)
        self.weights_ = np.ones(FEATURES)
        self.counts_ = np.zeros(4, dtype=np.int64)
        self.games_ = 0
        self.memory_ = RoteMemory(self.capacity) if self._remembers else None
        if self.start is not None:
            tensors = start_of(self.start)
            if tensors["scale"] != self.scale or bool(tensors["total"]) != (self.kings == "total"):
                raise arena.UsageError(f"{self.start} was learned with other options: give the same won and kings")
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
        """How the rule is to be applied."""
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
        """The option ``n`` for each position of a game whose boards have been met; empty where the rule counts them."""
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
            raise arena.UsageError(
                "td learns from results and searches of its own; lms, qmodel and regression take a teacher"
            )
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
        """What to remember each board of a game with (int64, (plies + 1,)), and whether a search or the end says so."""
        values = np.full(episode.plies, np.nan) if episode.values is None else episode.values
        return _backed_up(episode.boards, values, self.scale, self.performance_.context)

    def _searched(self, episode: arena.Episode) -> arena.Episode:
        """The same game with the values that our own search gives, without any bonus for novelty."""
        from arena_learners.lookahead import lookahead

        self.performance_.refresh()
        values = lookahead(self.performance_.kernel, episode.boards[:-1], self.depth, self.quiescence)
        return replace(episode, values=values / self.scale)

    def _learn(self, episodes: Iterable[arena.Episode]) -> Mapping[str, float]:
        """Metrics: means for a game, then weights, counts and memory as they are after the last one.

        step_size: that of the next board (n=visits: of a new one). drift: by how much of their length the weights have
        moved. negative: how many weights are. diverged: 1 where one is worth more than DIVERGED won games.
        bytes_per_game: what the memory holds by the games learned from.
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
    """The same, one step at a time in plain Python: to be read, and to check what is compiled."""

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
