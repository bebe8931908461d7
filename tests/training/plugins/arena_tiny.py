"""A learner of a single number, and its player, so simple that a test can compute what it must learn."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

import arena
from arena.checkers.splitmix64 import SplitMix64

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KIND = "tiny"


class TinyPlayer(arena.Player):
    """Plays the first legal move, or the last one if the fraction of its number is above 0.5."""

    def __init__(
        self,
        weights: Annotated[arena.Model, arena.ModelKind(KIND)],
        depth: int = 1,
    ) -> None:
        self.weights = weights
        self.depth = depth

    def choose(self, game: arena.Game) -> arena.Move:
        place = -1 if self.weights.tensors["number"][0] % 1 > 0.5 else 0
        return game.board.legal_moves[place]


class Tiny(arena.Learner):
    """Adds a random number for each game of self-play, and the number of plies of each given game."""

    kind = KIND
    plays = "tiny"

    def __init__(
        self,
        scale: float = 1.0,
        depth: int = 1,
        seconds: float = 0.0,
        breaks: int = -1,
        start: Annotated[arena.Model, arena.ModelKind(KIND)] | None = None,
    ) -> None:
        """``seconds``: time that a game takes. ``breaks``: the game after which a metric is not finite."""
        self.scale = scale
        self.depth = depth
        self.seconds = seconds
        self.breaks = breaks
        self.start = start

    def begin(self, seed: int) -> None:
        self.seed_ = seed
        self.games_ = 0
        self.number_ = np.array([0.0]) if self.start is None else self.start.tensors["number"].copy()

    def self_play(self, games: int) -> Mapping[str, float]:
        for _ in range(games):
            self.number_ += self.scale * SplitMix64(self.seed_, self.games_).unit()
            self.games_ += 1
            time.sleep(self.seconds)
        return {"number": float(self.number_[0]), "error": np.nan if self.games_ == self.breaks else 1 / self.games_}

    def learn_from(self, episodes: Sequence[arena.Episode]) -> Mapping[str, float]:
        for episode in episodes:
            self.number_ += self.scale * episode.plies
            self.games_ += 1
        return {"number": float(self.number_[0])}

    def state(self) -> Mapping[str, np.ndarray[Any, Any]]:
        return {"number": self.number_, "games": np.array(self.games_)}

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        self.number_ = state["number"]
        self.games_ = int(state["games"])

    def model(self) -> arena.Model:
        return arena.Model(self.kind, {"number": self.number_})

    def player(self) -> arena.Player:
        return TinyPlayer(self.model(), self.depth)


class Pairs(Tiny):
    """Learns from two games at a time. Its player is not registered."""

    step = 2

    def player(self) -> arena.Player:
        return type("Nameless", (TinyPlayer,), {})(self.model())


class Reader(Tiny):
    """Learns only from given games."""

    self_play = arena.Learner.self_play


class Hermit(Tiny):
    """Learns only from games against itself."""

    learn_from = arena.Learner.learn_from


class Careless(Tiny):
    """Divides by zero after some games."""

    def __init__(self, games: int = 0, exits: bool = False) -> None:
        super().__init__()
        self.games = games
        self.exits = exits

    def self_play(self, games: int) -> Mapping[str, float]:
        if self.games_ >= self.games and games:
            self._stumble()
        return super().self_play(games)

    def player(self) -> arena.Player:
        return TinyPlayer(self.model())

    def _stumble(self) -> None:
        if self.exits:
            sys.exit("enough")
        print(1 // 0)


@arena.hookimpl
def register_learners() -> dict[str, type[arena.Learner]]:
    return {"tiny": Tiny, "pairs": Pairs, "reader": Reader, "hermit": Hermit, "careless": Careless}


@arena.hookimpl
def register_players() -> dict[str, type[arena.Player]]:
    return {"tiny": TinyPlayer}
