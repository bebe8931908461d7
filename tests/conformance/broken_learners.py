"""Learners that each break one rule, named after the check that finds it."""

import os
import random
from math import nan

import numba
import numpy as np

import arena
from arena_players.lms import LMS


class Good(arena.Learner):
    kind, plays = "lms", "lms"

    def __init__(self, rate: float = 0.1) -> None:
        self.rate = rate

    def begin(self, seed):
        self.seed_, self.games_, self.weights_ = seed, 0, np.zeros(7)

    def self_play(self, games):
        self.whole_steps(games)
        for _ in range(games):
            self.learn(np.random.default_rng((self.seed_, self.games_)).normal(size=7))
        return {"size": float(abs(self.weights_).sum())}

    def learn_from(self, episodes):
        for episode in episodes:
            self.learn(np.full(7, episode.plies / 100))
        return {"size": float(abs(self.weights_).sum())}

    def learn(self, change):
        self.weights_ += self.rate * change
        self.games_ += 1

    def state(self):
        return {"weights": self.weights_, "games": np.array(self.games_)}

    def restore(self, state):
        self.weights_, self.games_ = state["weights"].copy(), int(state["games"])

    def model(self):
        return arena.Model(self.kind, {"weights": self.weights_})

    def player(self):
        return LMS(weights=self.model())


class Options(Good):
    def __init__(self, rate: float = 0.1) -> None:
        self.rate = min(rate, 0.5)


class Metrics(Good):
    def self_play(self, games):
        return super().self_play(games) | {"loss": nan}


class SameSeed(Good):
    def begin(self, seed):
        super().begin(int(np.random.default_rng().integers(2**31)))


class GlobalRandom(Good):
    def learn(self, change):
        super().learn(change * random.random())


class InParts(Good):
    def self_play(self, games):
        self.weights_[0] += 1
        return super().self_play(games)


class Restore(Good):
    def state(self):
        return {"weights": self.weights_}

    def restore(self, state):
        self.weights_ = state["weights"].copy()


class Step(Good):
    step = 4

    def whole_steps(self, games, default=1):
        return games


class Inputs(Good):
    def learn_from(self, episodes):
        for episode in episodes:
            episode.boards[:] = 0
        return super().learn_from(episodes)


class Model(Good):
    def model(self):
        return arena.Model("something", {"weights": self.weights_})

    def player(self):
        return LMS(weights=arena.Model(self.kind, {"weights": self.weights_}))


class Model2(Good):
    plays = "nobody"


class Illegal(arena.Player):
    def choose(self, game):
        return None


class Plays(Good):
    def player(self):
        return Illegal()


class Threads(Good):
    def learn(self, change):
        super().learn(change + int(os.environ.get("OMP_NUM_THREADS", 1)))


@numba.njit
def half(number):
    return number / 2


class Kernels(Good):
    def learn(self, change):
        super().learn(change * half(1.0))
