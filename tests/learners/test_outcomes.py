"""Targets of positions, and the pool of positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena_learners.outcomes import WeightedPositions, lambda_returns, quiet, returns
from positions import boards, random_game


def episode(winner: arena.Side | None, values: list[float] | None = None) -> arena.Episode:
    masks = np.array([board.relative for board in random_game(1, 4).boards], dtype=np.int64)
    return arena.Episode(masks, winner, values=None if values is None else np.array(values))


def test_without_search_values_every_target_is_the_result() -> None:
    assert returns(episode(arena.Side.BLACK), 0.5).tolist() == [1, 0, 1, 0, 1]
    assert returns(episode(None), 0.5).tolist() == [0.5] * 5


def test_with_lambda_1_every_target_is_the_result() -> None:
    assert returns(episode(arena.Side.WHITE, [9, 9, 9, 9]), 1.0).tolist() == [0, 1, 0, 1, 0]


def test_lambda_returns_of_a_short_game() -> None:
    even, good = 0.0, float(np.log(3))  # expected results 0.5 and 0.75 for the side to move
    targets = returns(episode(arena.Side.BLACK, [good, even, good, np.nan]), 0.8)
    third = 1 - (1 - 1.0)  # Black is to move in the last position; the position before it has no search value
    second = third
    first = 1 - (0.2 * 0.75 + 0.8 * second)
    start = 1 - (0.2 * 0.5 + 0.8 * first)
    assert targets.tolist() == pytest.approx([start, first, second, 0.0, 1.0])


@given(st.lists(boards(), min_size=1, max_size=20))
def test_quiet_boards_have_no_capture(found: list[arena.Board]) -> None:
    calm = quiet(np.array([board.relative for board in found], dtype=np.int64))
    assert calm.tolist() == [not any(move.captures for move in board.legal_moves) for board in found]


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1), st.floats(0.1, 2)), min_size=1), st.integers(0, 9))
def test_a_pool_averages_the_targets_of_equal_positions(met: list[tuple[int, float, float]], cut: int) -> None:
    whole, parts = WeightedPositions(), WeightedPositions()
    for number, (board, target, weight) in enumerate(met):
        for pool in (whole, parts):
            pool.add(np.array([[board, 8, 0]]), np.array([target]), np.array([weight]))
        if number == cut:
            parts.state("pool")
    assert whole.boards[:, 0].tolist() == sorted({board for board, _, _ in met})
    for board, target, weight in zip(whole.boards[:, 0], whole.targets, whole.counts, strict=True):
        mine = [(t, w) for b, t, w in met if b == board]
        assert weight == pytest.approx(sum(w for _, w in mine))
        assert target == pytest.approx(sum(t * w for t, w in mine) / weight)
    for name, array in whole.state("pool").items():
        np.testing.assert_array_equal(array, parts.state("pool")[name])


@given(st.lists(st.tuples(st.floats(0, 1) | st.just(np.nan), st.booleans()), min_size=1), st.floats(0, 1))
def test_the_lambda_return_is_the_weighted_mean_of_n_step_returns(
    turns: list[tuple[float, bool]], lambda_: float
) -> None:
    """Sutton 1988: G = (1 - lambda) sum of lambda^(n - 1) G_n, with the remaining weight on the last return."""
    values, cut = (np.array(column) for column in zip(*turns, strict=True))
    targets = lambda_returns(values, cut, 1.0, lambda_, 1.0)
    for turn in range(len(turns)):
        weight, mean = 1.0, 0.0
        for later in range(turn, len(turns)):
            if not np.isnan(values[later]):
                share = 1.0 if cut[later] else 1 - lambda_
                mean += weight * share * values[later]
                weight *= 1 - share
        assert targets[turn] == pytest.approx(mean + weight * 1.0, abs=1e-9)
