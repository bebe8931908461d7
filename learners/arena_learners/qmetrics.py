"""The metrics model, the Q-model's first stage: predicts the probability to win from ten rules of thumb."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

import arena
from arena_evaluators.metrics import KIND, table
from arena_learners.stage import Stage
from arena_players.qmodel import QMetrics as Player

if TYPE_CHECKING:
    from collections.abc import Sequence


class QMetrics(Stage):
    """First stage of the Q-model: a network 10-32-16-1 learns the probability to win from ten metrics of a board.

    A search of one ply with the score of the metrics plays the games, with some random moves.
    """

    kind = KIND
    plays = "qmetrics"
    idle: ClassVar = {"from": ("explore",)}

    def __init__(
        self,
        rate: Annotated[float, arena.Range(0)] = 0.001,
        explore: Annotated[float, arena.Range(0, 1)] = 0.2,
        epochs: Annotated[int, arena.Range(1)] = 8,
    ) -> None:
        """``rate``: learning rate of the optimizer. ``explore``: share of random moves.

        ``epochs``: passes over the boards of each hundred games.
        """
        self.rate = rate
        self.explore = explore
        self.epochs = epochs

    def sizes(self) -> Sequence[int]:
        return 10, 32, 16, 1

    def samples(self, boards: np.ndarray, results: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return table(boards), results, np.ones_like(results)

    def player(self) -> arena.Player:
        return Player(self.model())
