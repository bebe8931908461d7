"""A plugin whose players and evaluators have options of every type."""

from __future__ import annotations

import enum
import typing
from importlib.metadata import EntryPoint
from typing import Annotated, Literal

import numpy as np

import arena
from arena.plugins.options import Range
from arena.plugins.registry import Registry

SHIPPED = arena.Model("lms", {"w": np.ones(3)}, {"games": "1"})


class Shape(enum.Enum):
    ROUND = "round"
    SQUARE = "square"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Player(arena.Player):
    def choose(self, game: arena.Game) -> arena.Move:
        return game.board.legal_moves[0]


class Plain(Player):
    """Has no options."""


class Counting(arena.Evaluator):
    """Counts."""

    def __init__(self, mobility: bool = False, note: str = "") -> None:
        self.mobility, self.note = mobility, note

    def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
        return 0.0


class Learned(arena.Evaluator):
    """Learned."""

    def __init__(self, weights: arena.Model = SHIPPED) -> None:
        self.weights = weights

    def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
        return 0.0


COUNTING = Counting()


class Searcher(Player):
    """Searches."""

    def __init__(
        self,
        depth: Annotated[int, Range(1, 20)] = 4,
        evaluator: arena.Evaluator = COUNTING,
        second: arena.Evaluator | None = None,
    ) -> None:
        self.depth, self.evaluator, self.second = depth, evaluator, second


class Everything(Player):
    """Has an option of every type."""

    def __init__(
        self,
        flag: bool = False,
        count: int = 3,
        rate: float = 0.5,
        text: str = "plain",
        *,
        mode: Literal["raw", "normalised", 2, None] = "raw",
        shape: Shape = Shape.ROUND,
        level: Level = Level.LOW,
        limit: typing.Optional[int] = None,  # noqa: UP045  (the older spelling is supported)
        share: Annotated[float, Range(low=0)] | None = 1,
    ) -> None:
        self.values = (flag, count, rate, text, mode, shape, level, limit, share)


class LMS(Player):
    """Has options that are models."""

    def __init__(self, weights: arena.Model = SHIPPED, other: arena.Model | None = None) -> None:
        self.weights, self.other = weights, other


class Needy(Player):
    """Has options without defaults."""

    def __init__(self, command: str, weights: arena.Model, depth: int = 1) -> None:
        self.command, self.weights, self.depth = command, weights, depth


class Plugin:
    @arena.hookimpl
    def register_players(self) -> dict[str, type[arena.Player]]:
        classes = [Plain, Searcher, Everything, LMS, Needy]
        return {cls.__name__.lower(): cls for cls in classes}

    @arena.hookimpl
    def register_evaluators(self) -> dict[str, type[arena.Evaluator]]:
        return {"counting": Counting, "learned": Learned}


PLUGIN = Plugin()
REGISTRY = Registry.of([EntryPoint("fakes", f"{__name__}:PLUGIN", "arena")])
"""A registry of this plugin alone."""
