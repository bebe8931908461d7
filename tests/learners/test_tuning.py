"""The tuning of the heuristic's coefficients."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import arena
from arena.contracts.compiled_player import RANDOM_MOVES
from arena.plugins import specs
from arena.search.selfplay import Games
from arena_evaluators.heuristic import COEFFICIENTS, STOCK, Heuristic, Tuned, table
from arena_learners import tuning
from arena_learners.outcomes import quiet
from arena_learners.texel import Positions, fit
from arena_learners.tuning import Tuning
from positions import random_game


def fresh_learner() -> Tuning:
    learner = Tuning(depth=1)
    learner.begin(2)
    return learner


def test_the_start_is_the_stock_heuristic() -> None:
    untouched = Tuned(fresh_learner().model())
    for board in random_game(1).boards:
        assert untouched.evaluate(board) == Heuristic().evaluate(board)


def test_coefficients_move_towards_the_variant_that_scored_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spall 1992, with games that the variant with the higher mobility wins."""
    learner = fresh_learner()
    learner.self_play(0)

    class Fixed:
        def __init__(self, mine: arena.Side) -> None:
            self.mine = mine

        def play(self, _seed: int, _number: int, _board: arena.Board | None) -> arena.Episode:
            context = learner.performance_.kernel.context
            assert context is not None
            higher = context[4] > 100 * learner.weights_[4]
            return arena.Episode(np.zeros((1, 3), np.int64), self.mine if higher else self.mine.other)

    monkeypatch.setattr(learner.generator_, "games", [[Fixed(side) for side in arena.Side]])
    for _ in range(50):
        before = learner.weights_.copy()
        learner.self_play(4)
        assert learner.weights_[4] > before[4]
        np.testing.assert_allclose(
            np.abs(learner.weights_ - before) / np.maximum(tuning.SIZES, 1e-9), [0, *[_shared(learner, before)] * 4]
        )
    assert learner.weights_[0] == 10
    assert learner.average_[4] > STOCK[4]


def _shared(learner: Tuning, before: np.ndarray) -> float:
    return float((learner.weights_[4] - before[4]) / tuning.SIZES[4])


def test_self_play_in_parts_equals_self_play_at_once_and_after_restoring() -> None:
    whole, parts, copy = fresh_learner(), fresh_learner(), fresh_learner()
    whole.self_play(12)
    parts.self_play(5)
    copy.restore({name: array.copy() for name, array in parts.state().items()})
    for learner in (parts, copy):
        learner.self_play(7)
        for name, array in whole.state().items():
            np.testing.assert_array_equal(array, learner.state()[name])


def test_metrics_include_the_coefficients() -> None:
    learner = fresh_learner()
    metrics = learner.self_play(8)
    assert [metrics[name] for name in COEFFICIENTS] == learner.model().tensors["weights"].tolist()
    assert all(np.isfinite(value) for value in metrics.values())


def test_spec_names_the_tuned_coefficients() -> None:
    tuned = Tuned(arena.Model("tuned", {"weights": np.array([10.0, 3.21, -0.25, 1.5, 0.4])}))
    assert tuned.spec() == "heuristic:captured=10.00:kings=3.21:man_row=-0.25:king_centre=1.50:mobility=0.40"
    pasted = specs.parse("evaluator", tuned.spec()).create()
    for board in random_game(3).boards:
        assert pasted.evaluate(board) == pytest.approx(tuned.evaluate(board))


def recorded(games: int, coefficients: np.ndarray, seed: int = 5) -> list[arena.Episode]:
    """Games with random results, drawn with the win probability of coefficients in the last quiet position."""
    random, episodes = np.random.default_rng(seed), []
    play = Games(RANDOM_MOVES, RANDOM_MOVES)
    for number in range(games):
        episode = replace(play.play(seed, number), explored=None)
        ply = max(int(np.flatnonzero(quiet(episode.boards[:20]))[-1]), 1)
        value = float(table(episode.boards[ply : ply + 1])[0] @ coefficients)
        wins = random.random() < 1 / (1 + np.exp(-value))
        winner = episode.side(ply) if wins else episode.side(ply).other
        episodes.append(arena.Episode(episode.boards[ply : ply + 2], winner, episode.side(ply)))
    return episodes


def test_features_times_coefficients_are_the_heuristic() -> None:
    for board in random_game(4).boards:
        counts = table(np.array([board.relative]))[0]
        weights = np.array([10.0, 6.5, 0.25, -1.5, 0.4])
        named = dict(zip(COEFFICIENTS, weights, strict=True))
        assert Heuristic(**named).evaluate(board) == pytest.approx(counts @ weights)


def test_the_fit_to_recorded_games_is_logistic_regression() -> None:
    positions = Positions()
    for episode in recorded(400, np.array([1.0, 0.5, 0.1, 0.3, -0.2])):
        positions.add(episode)
    fitted, loss, stock_loss = fit(positions, l2=0.001)
    x, y = positions.features.astype(float), positions.results
    oracle = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=1000).fit(x, y)
    assert set(y.tolist()) == {-1, 1}
    often = np.flatnonzero((x != 0).sum(axis=0) > 20)
    assert {0, 2, 4} <= set(often.tolist())
    expected = 10 * oracle.coef_[0] / oracle.coef_[0][0]
    np.testing.assert_allclose(fitted[often], expected[often], rtol=1e-2)
    assert loss == pytest.approx(log_loss(y, oracle.predict_proba(x)), rel=1e-4)
    assert loss < stock_loss


def test_coefficients_without_data_keep_their_stock_value() -> None:
    positions = Positions()
    for episode in recorded(50, STOCK / 10):
        positions.add(episode)
    positions.features[:, [1, 3]] = 0
    fitted, _, _ = fit(positions, l2=0.1)
    assert fitted[0] == pytest.approx(10)
    assert fitted[1] / fitted[3] == pytest.approx(STOCK[1] / STOCK[3])
    assert fitted[2] / fitted[3] != pytest.approx(STOCK[2] / STOCK[3], rel=0.1)
    firm, _, _ = fit(positions, l2=1e9)
    np.testing.assert_allclose(firm, STOCK, atol=1e-3)


def test_learning_in_parts_equals_learning_at_once_and_after_restoring() -> None:
    episodes = recorded(45, STOCK / 10)
    whole, parts, copy = fresh_learner(), fresh_learner(), fresh_learner()
    whole.learn_from(episodes)
    for episode in episodes[:30]:
        parts.learn_from([episode])
    copy.restore({name: array.copy() for name, array in parts.state().items()})
    for learner in (parts, copy):
        metrics = learner.learn_from(episodes[30:])
        assert learner.model().hash == whole.model().hash
        assert metrics["positions"] == 45
        assert 0 < metrics["loss"] <= metrics["stock_loss"]
    assert whole.model().hash != fresh_learner().model().hash


def test_models_are_fitted_to_all_games_so_far() -> None:
    episodes = recorded(45, STOCK / 10)
    assert not tuning.is_due(45)
    learner, positions = fresh_learner(), Positions()
    learner.learn_from(episodes)
    for episode in episodes:
        positions.add(episode)
    assert learner.model().tensors["weights"].tolist() == fit(positions, learner.l2)[0].tolist()


def test_random_moves_and_no_games_change_nothing() -> None:
    learner = fresh_learner()
    metrics = learner.learn_from([])
    assert metrics["positions"] == metrics["loss"] == 0
    learner.learn_from([Games(RANDOM_MOVES, RANDOM_MOVES).play(1, 0)])
    np.testing.assert_array_equal(learner.model().tensors["weights"], STOCK)
