"""Players that each break one rule, named after the check that finds it."""

import os
import random
import sys
import time

import numba
import numpy as np

import arena

PROCESS = os.getpid()


class Good(arena.Player):
    def __init__(self, depth: int = 3) -> None:
        self.depth = depth

    def choose(self, game):
        moves = game.board.legal_moves
        return moves[game.random.integers(len(moves))]


class Options(Good):
    def __init__(self, depth: int = 3) -> None:
        self.depth = 2 * depth


class TimeAndMemory(Good):
    def choose(self, game):
        time.sleep(5)
        return super().choose(game)


class TimeAndMemory2(Good):
    def choose(self, game):
        self.ballast = b"x" * (1 << 30)
        return super().choose(game)


class LegalMoves(Good):
    def choose(self, game):
        return arena.Move((1, 32)) if game.ply > 30 else super().choose(game)


class LegalMoves2(Good):
    def choose(self, game):
        if game.ply > 30:
            raise ValueError("too long")
        return super().choose(game)


class SameSeed(Good):
    def choose(self, game):
        moves = game.board.legal_moves
        return moves[np.random.default_rng().integers(len(moves))]


class GlobalRandom(Good):
    def choose(self, game):
        return random.choice(game.board.legal_moves)


class Inputs(Good):
    def choose(self, game):
        move = super().choose(game)
        game.play(move)
        return move


class Reports(Good):
    def choose(self, game):
        move = super().choose(game)
        game.report(score=1, pv=(move, move))
        return move


class Fork(Good):
    def choose(self, game):
        if os.getpid() != PROCESS:
            raise RuntimeError("not the process that imported this file")
        return super().choose(game)


class Isolated(Good):
    def choose(self, game):
        if not {"arena.conformance.suite", "arena.workers.fork_server"} & sys.modules.keys():
            raise RuntimeError("a new interpreter")
        return super().choose(game)


@numba.njit
def first(number):
    return number % 7


class Kernels(Good):
    def choose(self, game):
        moves = game.board.legal_moves
        return moves[first(game.ply) % len(moves)]
