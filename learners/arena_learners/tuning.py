"""Tunes the coefficients of the minimax heuristic by playing, or fits them to recorded results.

From its own games it learns by simultaneous perturbation stochastic approximation (SPSA; Spall 1992, *Multivariate
stochastic approximation using a simultaneous perturbation gradient approximation*; for game programs Kocsis &
Szepesvári 2006). In step k all coefficients w_i are perturbed at once by ±c_k s_i, with random signs. Two opposite
variants each play a pair of games, with colours swapped, from one opening against the stock coefficients. The
coefficients move towards the variant that scored more::

    w_i += a_k s_i delta_i (score of w + c_k s delta - score of w - c_k s delta)

with delta_i = ±1, scores from 0 to 2, a_k = a / (1 + k / K)**0.602 and c_k = (1 + k / K)**-0.101 (exponents: Spall
1998). The method improves the score itself, not the prediction of results. Ours:

- the sizes s_i and K;
- games of several depths in turn;
- a captured piece stays worth 10, which sets the scale;
- the model is an average of the steps, in which late steps have more weight.

Games played elsewhere are fitted by logistic regression (:mod:`arena_learners.texel`), again each time the number of
games has grown by a tenth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np

import arena
from arena.checkers.splitmix64 import SplitMix64
from arena_evaluators.heuristic import COEFFICIENTS, KIND, STOCK, kernel_of
from arena_learners.loop import ModularLearner
from arena_learners.texel import Positions, fit
from arena_players.tuned import Tuned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIZES = np.array([0.0, 2.0, 0.4, 0.6, 0.3])
"""First perturbation of each coefficient: captured, kings, man_row, king_centre, mobility."""
_STEADY = 500
_SEED_OF_SIGNS = 1
_SHALLOWEST = 2


def is_due(games: int) -> bool:
    """Return whether a fit follows this number of recorded games: 1, 2, ... 20, then each tenth more."""
    end = 1
    while end < games:
        end += max(end // 10, 1)
    return end == games


@dataclass(frozen=True, slots=True)
class Variant:
    """Perturbed coefficients that play one of the four games of a step."""

    step: int
    """k, from 0."""
    sign: int
    """1 or -1: distinguishes the two opposite variants."""
    side: arena.Side
    """Colour that the variant plays."""
    directions: np.ndarray
    """s·delta: float64, (5,)."""

    @classmethod
    def of_game(cls, seed: int, number: int) -> Self:
        """Return the variant that plays game ``number`` of a run."""
        step, part = divmod(number, 4)
        chance = SplitMix64(seed, 2 * step + _SEED_OF_SIGNS)
        directions = np.array([1 - 2 * chance.below(2) for _ in COEFFICIENTS]) * SIZES
        return cls(step, 1 - 2 * (part // 2), arena.Side(part % 2), directions)

    @property
    def is_last(self) -> bool:
        """Whether this is the last game of the step."""
        return self.sign < 0 and self.side is arena.Side.WHITE

    @property
    def age(self) -> float:
        """1 + k / K."""
        return 1 + self.step / _STEADY


class PerformanceSystem:
    """Plays with the coefficients of the last call of :meth:`take`."""

    def __init__(self, depth: int) -> None:
        self.kernel = kernel_of(STOCK)
        self.depth = depth

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:  # noqa: ARG002  (the same for both)
        return arena.CompiledPlayer(self.kernel, self.depth, quiescence=True)

    def refresh(self) -> None:
        """Do nothing, since :meth:`take` writes into the kernel's context."""

    def take(self, weights: np.ndarray) -> None:
        """Play with these coefficients (float64, (5,)) from now on."""
        assert self.kernel.context is not None
        self.kernel.context[:] = kernel_of(weights).context


class ExperimentGenerator:
    """Lets the variants play against the stock coefficients, at several depths in turn."""

    def __init__(
        self, performance: PerformanceSystem, weights: np.ndarray, seed: int, random_plies: int, starts: arena.Starts
    ) -> None:
        """``weights``: the coefficients to perturb, read at the beginning of each game."""
        from arena.search.selfplay import Games

        self.performance = performance
        self.weights = weights
        self.seed = seed
        self.starts = starts
        self.games: list[list[Games]] = []
        mine, theirs = performance.compiled(arena.Side.BLACK), arena.CompiledPlayer(kernel_of(STOCK), quiescence=True)
        for depth in range(min(_SHALLOWEST, performance.depth), performance.depth + 1):
            one, other = replace(mine, depth=depth), replace(theirs, depth=depth)
            pairs = (one, other), (other, one)
            self.games.append([Games(black, white, random_plies=random_plies) for black, white in pairs])

    def play(self, number: int) -> arena.Episode:
        variant = Variant.of_game(self.seed, number)
        self.performance.take(self.weights + variant.sign * variant.age**-0.101 * variant.directions)
        games = self.games[variant.step % len(self.games)][variant.side]
        episode = games.play(self.seed, 2 * variant.step, self.starts.of_game(variant.step))
        return replace(episode, learners=(variant.side,))


class Critic:
    """Scores a game."""

    def examples(self, episode: arena.Episode, side: arena.Side) -> float:
        """Return the points of ``side`` minus a half: 0.5, 0 or -0.5."""
        return episode.result(side) / 2


class Generalizer:
    """Moves the coefficients after the four games of a step towards the variant that scored more (Spall 1992)."""

    def __init__(self, weights: np.ndarray, average: np.ndarray, rate: float) -> None:
        """``weights``, ``average``: the coefficients and their average, both changed in place."""
        self.weights = weights
        self.average = average
        self.rate = rate
        self.ahead = 0.0
        """Points by which the variant with sign 1 leads in this step."""

    def update(self, examples: tuple[Variant, float]) -> Mapping[str, float]:
        variant, score = examples
        self.ahead += variant.sign * score
        if variant.is_last:
            self.weights += self.rate * variant.age**-0.602 * self.ahead * variant.directions
            self.average += (self.weights - self.average) * 4 / (variant.step + 4)
            self.ahead = 0.0
        return {"ahead": self.ahead}


class Tuning(ModularLearner):
    """Tunes the coefficients of the minimax heuristic by playing (SPSA, Spall 1992) or from recorded games."""

    kind = KIND
    idle: ClassVar = {
        "self": ("l2",),
        "against": ("depth", "rate"),
        "from": ("depth", "random_plies", "rate"),
    }
    plays = "tuned"

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 5,
        random_plies: Annotated[int, arena.Range(0, 40)] = 6,
        rate: Annotated[float, arena.Range(0)] = 0.1,
        l2: Annotated[float, arena.Range(0.001)] = 100.0,
    ) -> None:
        """``depth``: the games have search depths 2, 3, ... ``depth`` in turn; the learned player searches 4 plies.

        ``random_plies``: random moves at the start of each game.

        ``rate``: a, the first step of a coefficient, in perturbations for each point that one variant leads.

        ``l2``: weight of the stock coefficients in a fit to recorded games, as a number of positions.
        """
        self.depth = depth
        self.random_plies = random_plies
        self.rate = rate
        self.l2 = l2

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.games_ = 0
        self.weights_ = STOCK.copy()
        self.average_ = STOCK.copy()
        self.recorded_ = 0
        self.positions_ = Positions()
        self.losses_ = np.zeros(2)
        self.assemble()

    def performance_system(self) -> PerformanceSystem:
        return PerformanceSystem(self.depth)

    def critic(self) -> Critic:
        return Critic()

    def generalizer(self) -> Generalizer:
        return Generalizer(self.weights_, self.average_, self.rate)

    def experiment_generator(self) -> ExperimentGenerator:
        return ExperimentGenerator(self.performance_, self.weights_, self.seed_, self.random_plies, self.starts)

    def self_play(self, games: int) -> Mapping[str, float]:
        """Metrics: ``plies`` and ``draw_pct``, means over the games; the coefficients and their ``norm``."""
        played = [self._play() for _ in range(games)]
        return {
            "plies": sum(game.plies for game in played) / max(games, 1),
            "draw_pct": 100 * sum(game.winner is None for game in played) / max(games, 1),
            **self._coefficients(),
        }

    def learn_from(self, episodes: Sequence[arena.Episode]) -> Mapping[str, float]:
        """Metrics: ``positions``, the number of quiet positions so far; mean ``loss`` of the last fit and
        ``stock_loss`` of the stock coefficients; the coefficients and their ``norm``."""
        if any(episode.labels is not None or episode.better for episode in episodes):
            raise arena.UsageError("tuning cannot learn from a teacher; lms, qmodel and regression can")
        for episode in episodes:
            self.positions_.add(episode)
            self.recorded_ += 1
            if is_due(self.recorded_):
                fitted, *losses = fit(self.positions_, self.l2)
                self.weights_[:] = self.average_[:] = fitted
                self.losses_ = np.array(losses)
        return {
            "positions": float(len(self.positions_)),
            **dict(zip(("loss", "stock_loss"), self.losses_.tolist(), strict=True)),
            **self._coefficients(),
        }

    def _coefficients(self) -> dict[str, float]:
        named = dict(zip(COEFFICIENTS, self.average_.tolist(), strict=True))
        return named | {"norm": float(np.linalg.norm(self.average_))}

    def _play(self) -> arena.Episode:
        """Play the next game. After the last game of a step the coefficients move."""
        variant = Variant.of_game(self.seed_, self.games_)
        episode: arena.Episode = self.generator_.play(self.games_)
        self.generalizer_.update((variant, self.critic_.examples(episode, variant.side)))
        self.games_ += 1
        return episode

    def model(self) -> arena.Model:
        """Return the coefficients; fit them again first if there are recorded games since the last fit."""
        stale = self.recorded_ and not is_due(self.recorded_)
        return arena.Model(self.kind, {"weights": fit(self.positions_, self.l2)[0] if stale else self.average_})

    def player(self) -> arena.Player:
        return Tuned(self.model())

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "games": np.array(self.games_),
            "weights": self.weights_,
            "average": self.average_,
            "ahead": np.array(self.generalizer_.ahead),
            "studied": np.array(self.recorded_),
            "losses": self.losses_,
            "features": self.positions_.features,
            "results": self.positions_.results,
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.games_ = int(state["games"])
        self.weights_[:] = state["weights"]
        self.average_[:] = state["average"]
        self.generalizer_.ahead = float(state["ahead"])
        if "studied" in state:  # else an older version recorded it, which learned from no recorded games
            self.recorded_ = int(state["studied"])
            self.losses_ = state["losses"].copy()
            self.positions_.features, self.positions_.results = state["features"], state["results"]
