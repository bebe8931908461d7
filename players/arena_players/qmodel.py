"""Players of the models of the neural Q-model's stages."""

from __future__ import annotations

from typing import Annotated

import arena
from arena.search import Search
from arena_evaluators import metrics
from arena_evaluators.metrics import MetricsNetwork
from arena_evaluators.neural import SHIPPED, Neural, Weights
from arena_players.searching import SearchingPlayer


class QModel(SearchingPlayer):
    """Plays the move to the board with the highest value of a neural network, by default the Q-model's."""

    def __init__(
        self,
        weights: Weights = SHIPPED,
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies to search.

        ``quiescence``: search below ``depth`` while the side to move must capture. The text does not (false).
        """
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(Neural(self.weights), quiescence=self.quiescence)


class QMetrics(SearchingPlayer):
    """Plays the move to the board whose ten metrics have the highest value of the Q-model's first stage."""

    def __init__(
        self,
        weights: Annotated[arena.Model, arena.ModelKind(metrics.KIND, metrics.layers_of)],
        depth: Annotated[int, arena.Range(1, 64)] = 1,
        quiescence: bool = True,
    ) -> None:
        """``depth``: plies to search. ``quiescence``: search below ``depth`` while the side to move must capture."""
        self.weights = weights
        self.depth = depth
        self.quiescence = quiescence

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(MetricsNetwork(self.weights), quiescence=self.quiescence)
