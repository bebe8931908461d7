"""Least mean squares on a linear function of the board, in four modules (Mitchell 1997).

The design, the critic's rule and the LMS rule are those of Mitchell, *Machine Learning* (1997), chapter 1. Two course
texts interpret it differently. One uses the raw rule and the best board after the player's own move. The other divides
the rule by the sum of the features and uses the best board after the opponent's worst reply. Both are available.

V̂(b) = w0 + w1 x1 + … + w6 x6. All four modules share one array of weights, which the generalizer changes in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

import arena
from arena_evaluators.linear import FEATURES, Weights, features, kernel_of, put_weights, weights_of
from arena_learners.examples import Examples
from arena_learners.loop import ModularLearner, StepByStep, norm
from arena_players.lms import LMS as LMSPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena_learners import loop

FINAL_VALUE = 100.0
"""V(b) of a won final board; a lost one has the negative, a drawn one 0 (Mitchell 1997)."""
MARGIN = 1.0
"""Difference by which V̂ should prefer a teacher's move to the move that was played (ours)."""
DIVERGED = 1e6
"""Limit of the weights. Beyond it they have diverged, since no board is worth more than ``FINAL_VALUE``."""
_SCALE = 1000.0
"""Kernel units per unit of V̂ in games of self-play."""


class PerformanceSystem:
    """Plays the move with the highest V̂, after a search of ``depth`` plies."""

    def __init__(
        self,
        weights: np.ndarray,
        depth: int = 1,
        quiescence: bool = False,
        explore: float = 0.0,
        temperature: float = 0.0,
    ) -> None:
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence
        self.explore = explore
        self.temperature = temperature
        self._kernels: list[arena.Kernel] = []

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:
        kernel = kernel_of(side, _SCALE)
        self._kernels.append(kernel)
        return arena.CompiledPlayer(kernel, self.depth, self.quiescence, self.explore, self.temperature)

    def refresh(self) -> None:
        for kernel in self._kernels:
            put_weights(kernel, self.weights)


class Critic:
    """Gives boards of a game their training values: V_train(b) = V̂(successor(b)) (Mitchell 1997).

    The successor is the next board of the same player in the training set. The last board gets the true value of the
    end of the game: 100, 0 or -100. With ``final`` the last board is the final board of the game, as in the texts.
    Otherwise it is the player's last board before the final one (ours).

    The texts use the boards on which it is the player's turn (``own_turn``). But a one-ply choice compares boards on
    which it is *not* the player's turn. With weights learned from the other boards, it leaves its pieces hanging.
    ``after_own_move`` uses the boards after the player's own moves (ours).

    A teacher's feedback (ours): a label v of a board in the training set, for the learner, replaces V_train by 100 v.
    If only the board before a move has a label, and the teacher would have played the same move, the label is also used
    for the board after it. If the teacher prefers another move, and V̂ of the board after it is not ``MARGIN`` higher
    than V̂ of the board reached, there are two more examples: ⟨better, V̂(reached) + MARGIN⟩ and ⟨reached, V̂(better) -
    MARGIN⟩. The two boards share most features, so one example alone would move both values in the same direction.
    """

    def __init__(self, weights: np.ndarray, after_own_move: bool = True, final: bool = False) -> None:
        self.weights = weights
        self.after_own_move = after_own_move
        self.final = final

    def first(self, mover: arena.Side, side: arena.Side) -> int:
        """Return the ply of the first board in the training set of ``side``; every second board follows."""
        return (mover is not side) + self.after_own_move

    def examples(self, episode: arena.Episode, side: arena.Side) -> Examples:
        """Return the training set of a finished game for one side."""
        first = self.first(episode.first, side)
        last = episode.plies
        x = features(episode.boards, first, last, self.after_own_move)  # (n, 7)
        plies = np.arange(first, first + 2 * len(x), 2)
        if self.final:
            x = np.concatenate([x, features(episode.boards, last, last + 1, episode.side(last) is not side)])
            plies = np.append(plies, last)
        values = np.full(len(x), FINAL_VALUE * episode.result(side))  # (n,)
        values[:-1] = estimates(x[1:], self.weights)
        if episode.labels is not None:
            labels = self._labels(episode.labels, first, episode)
            labelled = np.flatnonzero(~np.isnan(labels))
            values[labelled] = FINAL_VALUE * labels[labelled]
        examples = Examples(x, values, plies)
        if episode.better:
            corrections = [self._correction(episode, ply) for ply in episode.better if episode.side(ply) is side]
            return Examples.joined([examples, *corrections])
        return examples

    def _labels(self, labels: np.ndarray, first: int, episode: arena.Episode) -> np.ndarray:
        """Return the teacher's labels of the boards before the final one, for the learner: float64, (n,)."""
        mine = labels[first : episode.plies : 2]
        if not self.after_own_move:
            return mine
        if episode.better is None:
            return -mine
        agreed = [ply not in episode.better for ply in range(first - 1, episode.plies - 1, 2)]
        before = np.where(agreed, labels[first - 1 : episode.plies - 1 : 2], np.nan)
        return np.where(np.isnan(mine), before, -mine)

    def latest(self, game: arena.Game) -> Examples:
        """Return the example whose successor the last move of an unfinished game led to, if there is one."""
        side = game.side.other if self.after_own_move else game.side
        known = game.ply >= self.first(game.boards[0].side, side) + 2
        boards = np.array([board.relative for board in game.boards[-3:]], dtype=np.int64)  # (3, 3)
        x = features(boards, 0, 3 if known else 0, self.after_own_move)
        return Examples(x[:-1], estimates(x[1:], self.weights), np.array([game.ply - 2])[: len(x[:-1])])

    def _correction(self, episode: arena.Episode, ply: int) -> Examples:
        better = (episode.better or {})[ply]
        boards = np.array([better, better, episode.boards[ply + 1]], dtype=np.int64)  # (3, 3)
        x = features(boards, 0, 3, True)  # of the better board and the reached one
        preferred, reached = estimates(x, self.weights)
        if preferred - reached >= MARGIN:
            return Examples(x[:0], np.zeros(0), np.zeros(0, dtype=np.int64))
        return Examples(x, np.array([reached + MARGIN, preferred - MARGIN]), np.array([ply + 1, ply + 1]))


@arena.kernel
def estimates(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return V̂ of each row of features (float64, (n, k)) for weights (float64, (k,)): float64, (n,)."""
    values = np.zeros(len(x))
    for n in range(len(x)):
        for i in range(len(weights)):
            values[n] += weights[i] * x[n, i]
    return values


@arena.kernel
def lms(
    weights: np.ndarray, x: np.ndarray, values: np.ndarray, normalised: bool, rate: float, tau: float, t: int
) -> tuple[float, float, float]:
    """Apply the LMS rule to each example: w_i += η · (V_train - V̂) · x_i, divided by Z = Σ x_i if ``normalised``.

    ``weights`` (float64, (k,)) change in place. ``x``: float64, (n, k). ``values``: V_train, float64, (n,). The step is
    η = rate / (1 + t / tau), where ``t`` is the number of examples before the first.

    Returns Σ (V_train - V̂)², each before its update; the largest share of its example's error that an update removed,
    η · Σ x_i² / Z; and the absolute value of the largest weight.
    """
    squares, gain = 0.0, 0.0
    for n in range(len(x)):
        estimate, total, square = 0.0, 0.0, 0.0
        for i in range(len(weights)):
            estimate += weights[i] * x[n, i]
            total += x[n, i]
            square += x[n, i] ** 2
        step = rate / (1 + (t + n) / tau)
        if normalised:
            step /= total
        error = values[n] - estimate
        for i in range(len(weights)):
            weights[i] += step * error * x[n, i]
        squares += error**2
        gain = max(gain, step * square)
    return squares, gain, np.abs(weights).max()


class Generalizer:
    """Fits the weights to the examples with the LMS rule (Mitchell 1997), at a rate that can decay (ours).

    ``tau``: the rate is rate / (1 + t / tau) after t examples; None: constant. Dividing by Z does not make the rule
    stable for every rate. An update removes the share rate · Σ x² / Z of its example's error; above 2 the error
    grows. At the start of a game the share is 1.2 with the usual rate of 0.1.
    """

    def __init__(
        self,
        weights: np.ndarray,
        rate: float = 0.1,
        tau: float | None = None,
        normalised: bool = True,
        features: int = 6,
    ) -> None:
        self.weights = weights
        self.rate = rate
        self.tau = tau
        self.normalised = normalised
        self.used = 1 + features
        self.seen = 0
        """Number of examples so far."""

    def update(self, examples: Examples) -> Mapping[str, float]:
        """Learn from the examples in order. Raises ArenaError if the weights diverge.

        Metrics: ``squared_error``, E = ½ Σ (V_train - V̂)²; ``gain``, the largest share of its example's error that an
        update removed.
        """
        x = examples.features[:, : self.used]
        tau = np.inf if self.tau is None else self.tau
        weights = self.weights[: self.used]
        squares, gain, largest = lms(weights, x, examples.values, self.normalised, self.rate, tau, self.seen)
        self.seen += len(x)
        if not largest < DIVERGED:
            raise arena.ArenaError(
                f"the weights diverged: an update changed its example's error by {gain:.3g} times its size, and above "
                "2 the error grows; use a smaller rate or normalised=true"
            )
        return {"squared_error": squares / 2, "gain": gain}


class LMS(ModularLearner):
    """LMS on six counts of the board (Mitchell 1997).

    It learns from self-play, from games of others and from a teacher. In self-play the examples of both players are
    taken in the order of the game (ours). The win then adds to the piece weights what the loss subtracts. With one
    player's set after the other's, the weights would lean towards the last set.
    """

    kind = "lms"
    plays = "lms"
    idle: ClassVar = {
        "against": ("update", "temperature"),
        "from": ("update", "temperature", "explore", "random_plies"),
    }

    def __init__(
        self,
        rate: Annotated[float, arena.Range(0)] = 0.1,
        normalised: bool = True,
        tau: Annotated[float, arena.Range(1)] | None = 1500.0,
        features: Literal[4, 6] = 6,
        start: Weights | None = None,
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = True,
        boards: Literal["compared", "own_turn"] = "compared",
        final: bool = False,
        update: Literal["game", "move"] = "game",
        explore: Annotated[float, arena.Range(0, 1)] = 0.15,
        temperature: Annotated[float, arena.Range(0)] = 0.0,
        random_plies: Annotated[int, arena.Range(0, 100)] = 0,
    ) -> None:
        """``rate``: the step of the rule. ``normalised``: divide the step by the sum of the features.

        ``tau``: examples after which the rate has halved; none: constant rate.

        ``features``: 4 omits the threatened pieces.

        ``start``: weights to begin from; none: zeros.

        ``depth``: plies to search in games: 1 compares the boards after each move, 2 the boards after the worst reply.

        ``quiescence``: search below ``depth`` while there are captures.

        ``boards``: the training set: the boards that a search of this depth compares, which are those after the
        learner's move if the depth is odd; or the boards with the learner to move.

        ``final``: the training set includes the final board of the game, with its true value.

        ``update``: learn after each game or, much slower, after each move.

        ``explore``: share of random moves. ``temperature``: if above 0, moves are drawn by softmax of
        V̂ / temperature. ``random_plies``: random moves at the start of each game.
        """
        self.rate = rate
        self.normalised = normalised
        self.tau = tau
        self.features = features
        self.start = start
        self.depth = depth
        self.quiescence = quiescence
        self.boards = boards
        self.final = final
        self.update = update
        self.explore = explore
        self.temperature = temperature
        self.random_plies = random_plies

    def performance_system(self) -> PerformanceSystem:
        return PerformanceSystem(self.weights_, self.depth, self.quiescence, self.explore, self.temperature)

    def experiment_generator(self) -> loop.ExperimentGenerator:
        if self.update == "move":
            return StepByStep(self.performance_, self.seed_, self.random_plies, moved=self._moved, starts=self.starts)
        return super().experiment_generator()

    def critic(self) -> Critic:
        after_own_move = self.boards == "compared" and self.depth % 2 == 1
        return Critic(self.weights_, after_own_move, self.final)

    def generalizer(self) -> Generalizer:
        return Generalizer(self.weights_, self.rate, self.tau, self.normalised, self.features)

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.games_ = 0
        self.weights_ = np.zeros(FEATURES) if self.start is None else weights_of(self.start).copy()
        self.weights_[1 + self.features :] = 0
        self.assemble()
        self.updates_: list[Mapping[str, float]] = []

    def self_play(self, games: int) -> Mapping[str, float]:
        """Play and learn. Raises ArenaError if the weights diverge.

        Metrics: ``plies``, mean over the games; ``draw_pct``; the generalizer's metrics, means over its updates; the
        weights and their ``norm`` at the end.
        """
        plies = drawn = 0
        for _ in range(games):
            episode = self.generator_.play(self.games_)
            self.games_ += 1
            plies += episode.plies
            drawn += episode.winner is None
            sets = [self.critic_.examples(episode, side) for side in episode.learners]
            self._learn([examples.last(1 + self.final) for examples in sets] if self.update == "move" else sets)
        return {"plies": plies / games, "draw_pct": 100 * drawn / games, **self._measured()}

    def learn_from(self, episodes: Sequence[arena.Episode]) -> Mapping[str, float]:
        """Metrics: those of :meth:`self_play` without ``plies`` and ``draw_pct``."""
        for episode in episodes:
            self._learn([self.critic_.examples(episode, side) for side in episode.learners])
        return self._measured()

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "weights": self.weights_.copy(),
            "games": np.array(self.games_),
            "examples": np.array(self.generalizer_.seen),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.weights_[:] = state["weights"]
        self.games_ = int(state["games"])
        self.generalizer_.seen = int(state["examples"])

    def model(self) -> arena.Model:
        return arena.Model(self.kind, {"weights": self.weights_})

    def player(self) -> arena.Player:
        return LMSPlayer(self.model(), self.depth, self.quiescence)

    def _learn(self, sets: list[Examples]) -> None:
        self.updates_.append(self.generalizer_.update(Examples.joined(sets)))

    def _moved(self, game: arena.Game) -> None:
        """Learn from the last move, unless it ended the game."""
        if game.outcome is None:
            self._learn([self.critic_.latest(game)])
            self.performance_.refresh()

    def _measured(self) -> dict[str, float]:
        """Return the means over the updates since the last call, and the weights."""
        updates, self.updates_ = self.updates_, []
        names = updates[0] if updates else ()
        means = {name: sum(update[name] for update in updates) / len(updates) for name in names}
        weights = {f"w{i}": weight for i, weight in enumerate(self.weights_.tolist())}
        return means | weights | {"norm": norm(self.weights_)}
