"""The coefficients of the minimax heuristic, tuned by the games that they win.

Simultaneous perturbation stochastic approximation (Spall 1992, *Multivariate stochastic approximation using a
simultaneous perturbation gradient approximation*; for game programs Kocsis & Szepesvári 2006): in step k all
coefficients w_i are perturbed at once by ±c_k s_i, by lot; the two opposite variants each play a pair of games, with
colours swapped, from one opening against the coefficients of the start; and the coefficients move towards the variant
that scored more::

    w_i += a_k s_i delta_i (score of w + c_k s delta - score of w - c_k s delta)

with delta_i = ±1, scores from 0 to 2, a_k = a / (1 + k / K)**0.602 and c_k = (1 + k / K)**-0.101 (Spall 1998 gives the
exponents). So it is the score itself that improves, not the prediction of results. Ours: the sizes s_i and K; games of
several depths by turns; a captured piece stays worth 10, which sets the scale; what is handed out is an average of the
steps, the late ones weighing more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import numpy as np

import arena
from arena.checkers.chance import Chance
from arena_evaluators.heuristic import COEFFICIENTS, KIND, STOCK, kernel_of
from arena_players.tuned import Tuned

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZES = np.array([0.0, 2.0, 0.4, 0.6, 0.3])
"""How far each coefficient is perturbed at first: captured, kings, man_row, king_centre, mobility."""
_STEADY = 500
_SEED_OF_SIGNS = 1
_SHALLOWEST = 2


class Tuning(arena.Learner):
    """Tunes the coefficients of the minimax heuristic by the games they win (SPSA, Spall 1992)."""

    kind = KIND

    def __init__(
        self,
        depth: Annotated[int, arena.Range(1, 64)] = 5,
        random_plies: Annotated[int, arena.Range(0, 40)] = 6,
        rate: Annotated[float, arena.Range(0)] = 0.1,
    ) -> None:
        """``depth``: the games are searched 2, 3, ... so many plies deep, by turns; their first ``random_plies`` moves
        are random. What was learned plays 4 plies deep. ``rate``: a, by how many perturbations a coefficient moves at
        first for each point that one variant is ahead."""
        self.depth = depth
        self.random_plies = random_plies
        self.rate = rate

    def begin(self, seed: int) -> None:
        from arena.search.selfplay import Games

        self.seed_ = seed
        self.games_ = 0
        self.weights_ = STOCK.copy()
        self.average_ = STOCK.copy()
        self.ahead_ = 0.0
        self._variant, start = kernel_of(STOCK), kernel_of(STOCK)
        self._games = []
        for depth in range(min(_SHALLOWEST, self.depth), self.depth + 1):
            mine, theirs = (arena.Seat(kernel, depth, quiescence=True) for kernel in (self._variant, start))
            pairs = (mine, theirs), (theirs, mine)
            self._games.append([Games(black, white, random_plies=self.random_plies) for black, white in pairs])

    def practise(self, games: int) -> Mapping[str, float]:
        """Metrics: plies of a game, share of draws, the coefficients and their norm."""
        played = [self._play() for _ in range(games)]
        return {
            "plies": sum(game.plies for game in played) / max(games, 1),
            "draws": sum(game.winner is None for game in played) / max(games, 1),
            **dict(zip(COEFFICIENTS, self.average_.tolist(), strict=True)),
            "norm": float(np.linalg.norm(self.average_)),
        }

    def _play(self) -> arena.Episode:
        """One of the four games of a step; with the last of them the coefficients move."""
        number, part = divmod(self.games_, 4)
        sign, mine = 1 - 2 * (part // 2), arena.Side(part % 2)
        chance = Chance(self.seed_, 2 * number + _SEED_OF_SIGNS)
        directions = np.array([1 - 2 * chance.below(2) for _ in COEFFICIENTS]) * SIZES
        age = 1 + number / _STEADY
        assert self._variant.context is not None
        self._variant.context[:] = kernel_of(self.weights_ + sign * age**-0.101 * directions).context
        game = self._games[number % len(self._games)][mine].play(self.seed_, 2 * number)
        self.ahead_ += sign * game.result(mine) / 2
        self.games_ += 1
        if part == 3:
            self.weights_ = self.weights_ + self.rate * age**-0.602 * self.ahead_ * directions
            self.average_ = self.average_ + (self.weights_ - self.average_) * 4 / (number + 4)
            self.ahead_ = 0.0
        return game

    def model(self) -> arena.Model:
        return arena.Model(self.kind, {"weights": self.average_})

    def player(self) -> arena.Player:
        return Tuned(self.model())

    def state(self) -> Mapping[str, np.ndarray]:
        return {
            "games": np.array(self.games_),
            "weights": self.weights_,
            "average": self.average_,
            "ahead": np.array(self.ahead_),
        }

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.games_ = int(state["games"])
        self.weights_ = state["weights"].copy()
        self.average_ = state["average"].copy()
        self.ahead_ = float(state["ahead"])
