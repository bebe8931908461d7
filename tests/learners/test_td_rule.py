"""The rule of temporal differences for the weights, compiled and in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_evaluators.rote import features
from arena_learners.temporal import FLOOR, CompiledRule, PlainRule, Settings, Turns, step_size
from positions import random_game


@pytest.mark.parametrize(("n", "expected"), [(1, 1.0), (51, 0.5), (951, 0.05)])
def test_the_step_size_is_the_texts(n: int, expected: float) -> None:
    assert step_size(n) == expected


def test_the_texts_other_step_size_is_1_over_n() -> None:
    assert [step_size(n, "1/n") for n in (1, 2, 20)] == [1, 0.5, 0.05]


def turns(reward: float = 10.0, explored: tuple[int, ...] = (), counts: tuple[int, ...] = ()) -> Turns:
    """Black's turns of a game in which each side makes three moves."""
    boards = random_game(5, 60).boards[-7:]
    masks = np.array([board.relative for board in boards], dtype=np.int64)
    chance = np.isin(np.arange(6), explored)
    return Turns(masks, 0, reward, chance, np.array(counts, dtype=np.int64))


RULES = [PlainRule, CompiledRule]


@pytest.mark.parametrize("rule", RULES)
def test_the_rule_follows_its_formula(rule: type[PlainRule]) -> None:
    """c += a · delta · F / (1 + F·F) for each board, with the weights at that time."""
    given, weights, counts = turns(), np.ones(3), np.zeros(4, np.int64)
    metrics = rule(Settings(), weights, counts).update(given)
    f = [np.array(features(*given.boards[ply].tolist(), 0)) for ply in (0, 2, 4)]
    c, expected = np.ones(3), 0.0
    for turn, a in enumerate((1.0, 50 / 51, 50 / 52)):
        delta = (c @ f[turn + 1] if turn < 2 else 10.0) - c @ f[turn]
        c = np.clip(c + a * delta * f[turn] / (1 + f[turn] @ f[turn]), FLOOR, 10)
        expected += delta**2
    np.testing.assert_allclose(weights, c, rtol=1e-12)
    assert metrics["squared_delta"] == pytest.approx(expected)
    assert counts[0] == 3


@pytest.mark.parametrize("rule", RULES)
def test_without_division_and_guards_the_rule_is_the_raw_formula(rule: type[PlainRule]) -> None:
    given, weights = turns(reward=-10.0, explored=(0, 2)), np.array([1.0, -2.0, 0.5])
    f = np.array(features(*given.boards[4].tolist(), 0))
    expected = weights + 50 / (49 + 3) * (-10.0 - weights @ f) * f
    rule(Settings(normalised=False, guarded=False), weights, np.zeros(4, np.int64)).update(given)
    np.testing.assert_allclose(weights, expected, rtol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_with_lambda_1_every_board_learns_from_the_end(rule: type[PlainRule]) -> None:
    """TD(1) changes the weights by the sum over boards of (R - U(s)) F(s), to first order in the step."""
    given, weights = turns(counts=(10**9,) * 7), np.ones(3)
    f = np.array([features(*given.boards[ply].tolist(), 0) for ply in (0, 2, 4)])
    rule(Settings(lambda_=1.0, alpha="1/n"), weights, np.zeros(4, np.int64)).update(given)
    errors = (10.0 - f @ np.ones(3)) / (1 + (f**2).sum(axis=1))
    np.testing.assert_allclose((weights - 1) * 1e9, errors @ f, rtol=1e-5)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("win_probability", [False, True])
def test_correct_predictions_change_nothing(rule: type[PlainRule], win_probability: bool) -> None:
    """Equal boards before an end with their value do not change the weights."""
    masks = np.array([random_game(9, 40).board.relative] * 6, dtype=np.int64)
    weights = np.array([0.5, 2.0, 0.25])
    u = float(weights @ features(*masks[0].tolist(), 0))
    reward = 10 * np.tanh(u / 10) if win_probability else u
    given = Turns(masks, 1, reward, np.zeros(5, bool), np.zeros(0, np.int64))
    moved = weights.copy()
    rule(Settings(win_probability=win_probability), moved, np.zeros(4, np.int64)).update(given)
    np.testing.assert_allclose(moved, weights, rtol=1e-12)


@settings(max_examples=50)
@given(
    seed=st.integers(0, 10**6),
    first=st.integers(0, 1),
    reward=st.sampled_from([-10.0, 0.0, 10.0]),
    rule_settings=st.builds(
        Settings,
        alpha=st.sampled_from(["50/(49+n)", "1/n"]),
        lambda_=st.sampled_from([0.0, 0.7]),
        total=st.booleans(),
        win_probability=st.booleans(),
        normalised=st.booleans(),
        guarded=st.booleans(),
    ),
    own_counts=st.booleans(),
)
def test_the_compiled_rule_equals_the_plain_rule(
    seed: int, first: int, reward: float, rule_settings: Settings, own_counts: bool
) -> None:
    random = np.random.default_rng(seed)
    masks = np.array([board.relative for board in random_game(seed).boards], dtype=np.int64)
    counts = random.integers(1, 50, len(masks) if own_counts else 0)
    given = Turns(masks, first, reward, random.random(len(masks) - 1) < 0.1, counts)
    plain, compiled = (rule(rule_settings, np.ones(3), np.zeros(4, np.int64)) for rule in RULES)
    for _ in range(3):
        assert plain.update(given) == compiled.update(given)
        np.testing.assert_array_equal(plain.weights, compiled.weights)
        np.testing.assert_array_equal(plain.counts, compiled.counts)
