"""The metrics model: how likely a board is to be won, from ten rules of thumb. The Q-model's first stage."""

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
    """First stage of the Q-model: a network 10-32-16-1 learns from games how likely ten metrics of a board are to win.

    The games are played by the score of the metrics itself, with some random moves.
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
        """``rate``: of the optimizer. ``explore``: share of random moves. ``epochs``: of each hundred games."""
        self.rate = rate
        self.explore = explore
        self.epochs = epochs

    def sizes(self) -> Sequence[int]:
        return 10, 32, 16, 1

    def samples(self, boards: np.ndarray, results: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return table(boards), results, np.ones_like(results)

    def player(self) -> arena.Player:
        return Player(self.model())
