"""Evaluators that each break one rule, named after the check that finds it."""

import os
import random
import time
from math import inf

import numba
import numpy as np

import arena
from arena.checkers.bits import popcount

PROCESS = os.getpid()
SCRATCH = []


class Good(arena.Evaluator):
    def __init__(self, king: float = 1.5) -> None:
        self.king = king

    def evaluate(self, board):
        own, opp, kings = board.relative
        value = own.bit_count() - opp.bit_count()
        return value + (self.king - 1) * ((own & kings).bit_count() - (opp & kings).bit_count())


class Options(Good):
    def __init__(self, king: float = 1.5) -> None:
        self.king = round(king)


class Search(Good):
    def evaluate(self, board):
        if os.getpid() != PROCESS:
            raise RuntimeError("not the process that imported this file")
        return super().evaluate(board)


class Values(Good):
    def evaluate(self, board):
        return inf if board.white.bit_count() < 12 and board.black.bit_count() < 5 else super().evaluate(board)


class SameValue(Good):
    def evaluate(self, board):
        return super().evaluate(board) + np.random.default_rng().random()


class GlobalRandom(Good):
    def evaluate(self, board):
        random.random()
        return super().evaluate(board)


class Perspective(Good):
    def evaluate(self, board):
        return float(board.black.bit_count() - board.white.bit_count())


class Colours(Good):
    def evaluate(self, board):
        return super().evaluate(board) + (0.5 if board.side is arena.Side.BLACK else 0.0)


@arena.evaluator_kernel
def men(own, opp, kings, side, context):
    return popcount(own) - popcount(opp)


class KernelAgrees(Good):
    def kernel(self):
        return arena.Kernel(men.address, scale=10)


class Threads(Good):
    def evaluate(self, board):
        SCRATCH[:] = [super().evaluate(board)]
        time.sleep(1e-5)
        return SCRATCH[0]


@numba.njit
def double(number):
    return 2 * number


class Kernels(Good):
    def evaluate(self, board):
        return float(double(super().evaluate(board)))
