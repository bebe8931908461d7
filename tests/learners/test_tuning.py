"""Coefficients of the heuristic, tuned by games."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena import specs
from arena_evaluators.heuristic import COEFFICIENTS, STOCK, Heuristic, Tuned
from arena_learners import tuning
from arena_learners.tuning import Tuning
from positions import random_game


def begun() -> Tuning:
    learner = Tuning(depth=1)
    learner.begin(2)
    return learner


def test_the_start_is_the_stock_heuristic() -> None:
    untouched = Tuned(begun().model())
    for board in random_game(1).boards:
        assert untouched.evaluate(board) == Heuristic().evaluate(board)


def test_coefficients_move_towards_the_variant_that_scored_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spall 1992, with games that a variant wins whenever its mobility is the higher one."""
    learner = begun()
    learner.practise(0)

    class Fixed:
        def __init__(self, mine: arena.Side) -> None:
            self.mine = mine

        def play(self, _seed: int, _number: int) -> arena.Episode:
            context = learner._variant.context
            assert context is not None
            higher = context[4] > 100 * learner.weights_[4]
            return arena.Episode(np.zeros((1, 3), np.int64), self.mine if higher else self.mine.other)

    monkeypatch.setattr(learner, "_games", [[Fixed(side) for side in arena.Side]])
    for _ in range(50):
        before = learner.weights_
        learner.practise(4)
        assert learner.weights_[4] > before[4]
        np.testing.assert_allclose(
            np.abs(learner.weights_ - before) / np.maximum(tuning.SIZES, 1e-9), [0, *[_shared(learner, before)] * 4]
        )
    assert learner.weights_[0] == 10
    assert learner.average_[4] > STOCK[4]


def _shared(learner: Tuning, before: np.ndarray) -> float:
    return float((learner.weights_[4] - before[4]) / tuning.SIZES[4])


def test_practice_in_parts_is_practice_at_once_and_a_copy_goes_on() -> None:
    whole, parts, copy = begun(), begun(), begun()
    whole.practise(12)
    parts.practise(5)
    copy.restore({name: array.copy() for name, array in parts.state().items()})
    for learner in (parts, copy):
        learner.practise(7)
        for name, array in whole.state().items():
            np.testing.assert_array_equal(array, learner.state()[name])


def test_the_metrics_are_the_coefficients() -> None:
    learner = begun()
    metrics = learner.practise(8)
    assert [metrics[name] for name in COEFFICIENTS] == learner.model().tensors["weights"].tolist()
    assert all(np.isfinite(value) for value in metrics.values())


def test_the_tuned_function_as_a_spec_to_paste() -> None:
    tuned = Tuned(arena.Model("tuned", {"weights": np.array([10.0, 3.21, -0.25, 1.5, 0.4])}))
    assert tuned.spec() == "heuristic:captured=10.00:kings=3.21:man_row=-0.25:king_centre=1.50:mobility=0.40"
    pasted = specs.parse("evaluator", tuned.spec()).create()
    for board in random_game(3).boards:
        assert pasted.evaluate(board) == pytest.approx(tuned.evaluate(board))
