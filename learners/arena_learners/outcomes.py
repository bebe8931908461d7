"""Targets for positions from the results of games, and a pool of positions with their targets.

A position's target is its expected result for the side to move, from 0 (lost) to 1 (won). It is the result of the game,
or the lambda-return (Sutton 1988, *Learning to predict by the methods of temporal differences*) if the values of the
players' searches are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import arena
from arena.checkers.bitboard import can_capture
from arena.search.logistic import clipped_probabilities

if TYPE_CHECKING:
    from collections.abc import Mapping


@arena.kernel
def lambda_returns(values: np.ndarray, cut: np.ndarray, final: float, lambda_: float, discount: float) -> np.ndarray:
    """Return the lambda-returns of successive turns, each in [0, 1]: float64, (n,).

    G(t) = 1/2 + discount (G - 1/2) with G = (1 - lambda) V(t) + lambda G(t + 1), and ``final`` after the last turn.
    ``values``: V, in [0, 1]; if V is NaN, G is G(t + 1). ``cut``: if true, G is V(t). A discount of -1 changes sides
    at every turn.
    """
    targets = np.empty(len(values))
    following = final
    for turn in range(len(values) - 1, -1, -1):
        value = values[turn]
        if np.isnan(value):
            value = following
        elif not cut[turn]:
            value = (1 - lambda_) * value + lambda_ * following
        following = 1 - value if discount == -1 else 0.5 + discount * (value - 0.5)  # 1 - value is exact
        targets[turn] = following
    return targets


def returns(episode: arena.Episode, lambda_: float) -> np.ndarray:
    """Return the lambda-return of every position for its side to move: float64, (plies + 1,).

    V is the expected result from the search of the side to move. The return of the last position is the result of the
    game. If ``lambda_`` is 1, the returns of all positions are.
    """
    final = (1 + episode.result(episode.side(episode.plies))) / 2
    values = np.full(episode.plies, np.nan) if episode.values is None else episode.values
    following = np.append(clipped_probabilities(values[1:]), np.nan)[: episode.plies]
    return np.append(lambda_returns(following, np.zeros(episode.plies, bool), final, lambda_, -1.0), final)


@arena.kernel
def wide(board: np.ndarray) -> tuple[int, int, int]:
    """Return the masks of a board (own, opp, kings; (3,), any integer type) as int64."""
    return np.int64(board[0]), np.int64(board[1]), np.int64(board[2])  # type: ignore[return-value]


@arena.kernel
def quiet(boards: np.ndarray) -> np.ndarray:
    """Return whether each board (own, opp, kings; (n, 3)) is quiet: bool, (n,)."""
    calm = np.empty(len(boards), dtype=np.bool_)
    for i in range(len(boards)):
        own, opp, kings = wide(boards[i])
        calm[i] = not can_capture(own, opp, kings)
    return calm


class WeightedPositions:
    """Distinct positions, each with its total weight and its mean target."""

    def __init__(self) -> None:
        self._boards: np.ndarray = np.zeros((0, 3), dtype=np.uint32)
        self._counts: np.ndarray = np.zeros(0)
        self._sums: np.ndarray = np.zeros(0)
        self._waiting: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def add(self, boards: np.ndarray, targets: np.ndarray, counts: np.ndarray) -> None:
        """Add positions (own, opp, kings for the side to move; (n, 3)), targets and weights (both (n,))."""
        self._waiting.append((boards.astype(np.uint32), targets * counts, counts))

    @property
    def boards(self) -> np.ndarray:
        """The distinct positions, in a fixed order: uint32, (n, 3)."""
        self._merge()
        return self._boards

    @property
    def counts(self) -> np.ndarray:
        """The total weight of each position: float64, (n,)."""
        self._merge()
        return self._counts

    @property
    def targets(self) -> np.ndarray:
        """The weighted mean target of each position: float64, (n,)."""
        self._merge()
        means: np.ndarray = self._sums / self._counts
        return means

    def state(self, name: str) -> dict[str, np.ndarray]:
        """Return the pool as arrays whose names begin with ``name``."""
        self._merge()
        return {f"{name}_boards": self._boards, f"{name}_counts": self._counts, f"{name}_sums": self._sums}

    def restore(self, state: Mapping[str, np.ndarray], name: str) -> None:
        """Restore the pool from its :meth:`state`."""
        self._boards, self._counts, self._sums = (state[f"{name}_{what}"] for what in ("boards", "counts", "sums"))
        self._waiting = []

    def _merge(self) -> None:
        if not self._waiting:
            return
        boards = np.concatenate([self._boards, *(boards for boards, _, _ in self._waiting)])
        sums = np.concatenate([self._sums, *(sums for _, sums, _ in self._waiting)])
        counts = np.concatenate([self._counts, *(counts for _, _, counts in self._waiting)])
        self._waiting = []
        order = np.lexsort(boards.T)
        ordered = boards[order]
        first = np.ones(len(boards), dtype=bool)
        first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        place = np.empty(len(boards), dtype=np.int64)
        place[order] = np.cumsum(first) - 1
        self._boards = ordered[first]
        self._counts = np.bincount(place, weights=counts)
        self._sums = np.bincount(place, weights=sums)
