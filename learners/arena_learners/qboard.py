"""The board model, the Q-model's second stage: predicts the metrics model's value from the squares alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

import arena
from arena.search.logistic import probabilities
from arena_evaluators import metrics
from arena_evaluators.neural import KIND, PLANES, SIGNED, encode, forward
from arena_learners.qmetrics import QMetrics
from arena_learners.stage import Stage
from arena_players.qmodel import QModel as Player

if TYPE_CHECKING:
    from collections.abc import Sequence

HIDDEN = (64, 32, 16, 8)
INPUTS = {"signed": SIGNED, "planes": PLANES}
FIRST_GAMES = 200
"""Games from which a metrics model is learned if none is given: about 10,000 boards, as in the text."""


class QBoard(Stage):
    """Second stage of the Q-model: a network 32-64-32-16-8-1 learns the metrics model's values of boards.

    The weight of a board is 1 / (1 + |weak label - p|), where p is the metrics model's probability to win. The weak
    label is 0 for a negative score of the metrics, else 1. The more the two agree, the larger the weight.
    """

    kind = KIND
    plays = "qmodel"

    def __init__(
        self,
        metrics: Annotated[arena.Model, arena.ModelKind(metrics.KIND, metrics.layers_of)] | None = None,
        labels: Literal["metrics", "results"] = "metrics",
        coding: Literal["signed", "planes"] = "signed",
        rate: Annotated[float, arena.Range(0)] = 0.001,
        explore: Annotated[float, arena.Range(0, 1)] = 0.2,
        epochs: Annotated[int, arena.Range(1)] = 8,
    ) -> None:
        """``metrics``: a metrics model; none: learn one first, from 200 games.

        ``labels``: the targets: the metrics model's probabilities, or the results of the games.

        ``coding``: coding of the board: 32 signed numbers, or four planes of 32 (another network, 128-64-32-16-8-1).

        ``rate``: learning rate of the optimizer. ``explore``: share of random moves. ``epochs``: passes over the boards
        of each hundred games.
        """
        self.metrics = metrics
        self.labels = labels
        self.coding = coding
        self.rate = rate
        self.explore = explore
        self.epochs = epochs

    def begin(self, seed: int) -> None:
        super().begin(seed)
        model = self.metrics
        if model is None:
            first = QMetrics(explore=self.explore)
            first.open_with(self.starts)
            first.begin(seed)
            first.self_play(FIRST_GAMES)
            model = first.model()
        self.judge_ = metrics.layers_of(model)

    def sizes(self) -> Sequence[int]:
        return INPUTS[self.coding], *HIDDEN, 1

    def samples(self, boards: np.ndarray, results: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        inputs = encode(boards.astype(np.uint32), INPUTS[self.coding])
        if self.labels == "results":
            return inputs, results, np.ones_like(results)
        rows = metrics.table(boards)
        p = probabilities(forward(self.judge_, rows))
        weak = ((rows * metrics.WEIGHTS).sum(axis=1) >= 0).astype(np.float32)
        return inputs, p, 1 / (1 + np.abs(weak - p))

    def player(self) -> arena.Player:
        return Player(self.model())
