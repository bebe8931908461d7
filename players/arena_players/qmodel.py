"""Players of what the stages of the neural Q-model learned."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators import metrics
from arena_evaluators.metrics import MetricsNetwork
from arena_evaluators.neural import SHIPPED, Neural, Weights
from arena_players.searching import SearchingPlayer


class QModel(SearchingPlayer):
    """Plays the move whose board a neural network likes best, by default the one of the Q-model."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies that it looks ahead. ``quiescence``: go on below ``depth`` while there are captures; the
        text stops (false).
        """
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(Neural(self.weights), quiescence=self.quiescence)


class QMetrics(SearchingPlayer):
    """Plays the move whose ten metrics the Q-model's first stage likes best."""

    def __init__(
        self,
        weights: Annotated[arena.Model, arena.ModelKind(metrics.KIND, metrics.layers_of)],
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies that it looks ahead. ``quiescence``: go on below ``depth`` while there are captures."""
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(MetricsNetwork(self.weights), quiescence=self.quiescence)
