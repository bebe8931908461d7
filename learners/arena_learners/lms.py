"""Least mean squares on a linear function of the board, in four modules (Mitchell 1997).

Mitchell, Machine Learning (1997), chapter 1, is the source of the design, of the critic's rule and of the LMS
rule. Courses teach two readings of it: the raw rule with the best board after one's own move, and a rule
normalised by the sum of the features with the best board after the opponent's worst reply. Both are here.

V̂(b) = w0 + w1 x1 + … + w6 x6. All four modules hold the same array of weights: the generalizer changes it in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

import arena
from arena_evaluators.linear import FEATURES, Weights, features, kernel_of, put_weights, weights_of
from arena_learners.loop import ModularLearner, StepByStep, norm
from arena_players.lms import LMS as LMSPlayer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena_learners import loop

FINAL_VALUE = 100.0
"""V(b) of a board that is won; a lost one is worth its negative, a drawn one 0 (Mitchell 1997)."""
MARGIN = 1.0
"""By how much V̂ should prefer a teacher's move to the one that was played (ours)."""
DIVERGED = 1e6
"""A weight beyond this has lost all meaning: no board is worth more than ``FINAL_VALUE``."""
_SCALE = 1000.0
"""Kernel units per unit of V̂ in games of self-play: moves are told apart to a thousandth."""


@dataclass(frozen=True, slots=True, eq=False)
class Examples:
    """Training examples ⟨b, V_train(b)⟩."""

    features: np.ndarray
    """x0..x6 as the learner sees each board: float64, (n, 7)."""
    values: np.ndarray
    """V_train, from the learner's point of view: float64, (n,)."""
    plies: np.ndarray
    """After how many moves of the game each board stood: int64, (n,)."""

    @classmethod
    def joined(cls, sets: Sequence[Examples]) -> Examples:
        """All examples of several sets, in the order of the game; each set must be in that order."""
        whole, *others = sets
        for other in others:
            parts = (
                part for examples in (whole, other) for part in (examples.features, examples.values, examples.plies)
            )
            whole = cls(*_merged(*parts))
        return whole

    def last(self, number: int) -> Examples:
        """The last ``number`` examples."""
        return Examples(self.features[-number:], self.values[-number:], self.plies[-number:])


@arena.kernel
def _merged(
    x1: np.ndarray, values1: np.ndarray, plies1: np.ndarray, x2: np.ndarray, values2: np.ndarray, plies2: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two sets as one, by ply; of one ply, the first set's examples come first."""
    n1, n2 = len(plies1), len(plies2)
    x, values, plies = np.empty((n1 + n2, FEATURES)), np.empty(n1 + n2), np.empty(n1 + n2, dtype=np.int64)
    i = j = 0
    for k in range(n1 + n2):
        if j == n2 or (i < n1 and plies1[i] <= plies2[j]):
            for feature in range(FEATURES):
                x[k, feature] = x1[i, feature]
            values[k], plies[k] = values1[i], plies1[i]
            i += 1
        else:
            for feature in range(FEATURES):
                x[k, feature] = x2[j, feature]
            values[k], plies[k] = values2[j], plies2[j]
            j += 1
    return x, values, plies


class PerformanceSystem:
    """Plays the move whose board V̂ likes best, or that leads to such a board ``depth`` plies ahead."""

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

    The successor is the next board of the same player in the training set; the last one gets the true value of the end
    of the game, 100, 0 or -100. With ``final`` the last one is the final board itself, as in the texts; else it is the
    player's last board before that (ours). Texts speak of the boards on which it is the player's turn (``own_turn``). A
    choice among boards after one's own move asks V̂ about boards on which it is *not*, and with weights from the others
    it leaves its pieces hanging, so ``after_own_move`` makes a training set of these (ours).

    What a teacher says (ours). A label v of a board in the training set, as seen by the learner, replaces its V_train
    by 100 v. A teacher who values the board before a move, and would have played the same, thereby values the board
    after it, if nothing is said of that. For a move that the teacher would have played instead, where V̂ of the board
    after it is not ``MARGIN`` higher than V̂ of the board that was reached, there are two examples more,
    ⟨better, V̂(reached) + MARGIN⟩ and ⟨reached, V̂(better) - MARGIN⟩. The two boards have most of their features in
    common, so that one example alone would move both values alike.
    """

    def __init__(self, weights: np.ndarray, after_own_move: bool = True, final: bool = False) -> None:
        self.weights = weights
        self.after_own_move = after_own_move
        self.final = final

    def first(self, mover: arena.Side, side: arena.Side) -> int:
        """After how many plies the first board of the training set of ``side`` stands; then it is every second one."""
        return (mover is not side) + self.after_own_move

    def examples(self, episode: arena.Episode, side: arena.Side) -> Examples:
        """The training set of one finished game, as the player of one colour saw it."""
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
        """What the teacher says of the boards before the final one, as the learner sees it: float64, (n,)."""
        mine = labels[first : episode.plies : 2]
        if not self.after_own_move:
            return mine
        if episode.better is None:
            return -mine
        agreed = [ply not in episode.better for ply in range(first - 1, episode.plies - 1, 2)]
        before = np.where(agreed, labels[first - 1 : episode.plies - 1 : 2], np.nan)
        return np.where(np.isnan(mine), before, -mine)

    def latest(self, game: arena.Game) -> Examples:
        """What the last move of a game in progress tells: the example whose successor it led to, or none."""
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
    """V̂ of each row of features (float64, (n, k)), summed from the first weight (float64, (k,)) on: float64, (n,)."""
    values = np.zeros(len(x))
    for n in range(len(x)):
        for i in range(len(weights)):
            values[n] += weights[i] * x[n, i]
    return values


@arena.kernel
def lms(
    weights: np.ndarray, x: np.ndarray, values: np.ndarray, normalised: bool, rate: float, tau: float, t: int
) -> tuple[float, float, float]:
    """The LMS rule, example by example: w_i += η · (V_train - V̂) · x_i, divided by Z = Σ x_i where ``normalised``.

    Changes ``weights`` (float64, (k,)) in place; ``x``: float64, (n, k); ``values``: float64, (n,); η = rate / (1 + t /
    tau), ``t`` examples having gone before the first. Returns Σ (V_train - V̂)², each before its update; the largest
    share of its own error that an update took away, η · Σ x_i² / Z; and the size of the largest weight at the end.
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
    """Fits the weights to the examples by the LMS rule (Mitchell 1997), at a rate that may decay (ours).

    ``tau``: the rate is rate / (1 + t / tau) after t examples; None: constant. Dividing by Z does not make the rule
    stable for every rate: an update takes away the share rate · Σ x² / Z of the example's own error, and above 2 the
    error grows. That share is 1.2 at the start of a game with the usual rate of 0.1.
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
        """Examples so far."""

    def update(self, examples: Examples) -> Mapping[str, float]:
        """``squared_error``: E = ½ Σ (V_train - V̂)²; ``gain``: the largest share of its own error that an update took
        away. Raises ArenaError where the weights diverge."""
        x = examples.features[:, : self.used]
        tau = np.inf if self.tau is None else self.tau
        weights = self.weights[: self.used]
        squares, gain, largest = lms(weights, x, examples.values, self.normalised, self.rate, tau, self.seen)
        self.seen += len(x)
        if not largest < DIVERGED:
            raise arena.ArenaError(
                f"the weights diverged: an update took away {gain:.3g} times its example's error, and above 2 the "
                "error grows; a smaller rate or normalised=true keeps them bounded"
            )
        return {"squared_error": squares / 2, "gain": gain}


class LMS(ModularLearner):
    """LMS on six counts of the board (Mitchell 1997): critic, generalizer, generator, player.

    Learns from self-play, from games of others and from a teacher. In self-play the examples of both players are taken
    by turns, in the order of the game (ours): what a win adds to the worth of the pieces on the board is then taken
    back by the loss; one player's set after the other's would leave the weights leaning to whose came last.
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
        """``rate``: the step of the rule, divided by the sum of the features where ``normalised``.

        ``tau``: examples after which the rate is down to half; none: constant. ``features``: 4 leaves the threatened
        pieces out. ``start``: weights to begin from; none: zero weights. ``depth``: plies of search when playing: 1
        takes the best board after my move, 2 the best after their worst reply; ``quiescence``: search on while there
        are captures. ``boards`` that make the training set: those that a search of that depth compares (after my own
        move where it is odd), or those with me to move. ``final``: the final board of a game is in it too, with the
        true value of the end. ``update``: after each game or, much slower, each move. ``explore``: share of moves that
        are random; ``temperature``: above 0, moves are drawn by softmax of V̂ / temperature; ``random_plies``: random
        moves at the start of each game.
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
        """Metrics: ``plies``, mean over the games, and ``draw_pct``; what the generalizer measured, means over its
        updates; the weights and their ``norm``, at the end. Raises ArenaError where the weights diverge."""
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
        """Metrics: as those of :meth:`self_play`, without ``plies`` and ``draw_pct``."""
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
        """Learn from the last move at once, unless it ended the game."""
        if game.outcome is None:
            self._learn([self.critic_.latest(game)])
            self.performance_.refresh()

    def _measured(self) -> dict[str, float]:
        """Means over the updates since this was last asked for, and the weights."""
        updates, self.updates_ = self.updates_, []
        names = updates[0] if updates else ()
        means = {name: sum(update[name] for update in updates) / len(updates) for name in names}
        weights = {f"w{i}": weight for i, weight in enumerate(self.weights_.tolist())}
        return means | weights | {"norm": norm(self.weights_)}
