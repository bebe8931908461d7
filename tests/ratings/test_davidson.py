"""Bradley-Terry ratings with draws and an advantage for Black."""

from __future__ import annotations

from itertools import permutations, product
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from arena.contracts.rating import RatedGame
from arena.plugins.registry import load
from arena.ratings.davidson import ELO, Davidson, fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from arena.contracts.rating import PlayerRating

PUDDING = np.array(
    [
        (1, 2, 19, 16, 22),
        (1, 3, 16, 12, 19),
        (2, 3, 19, 10, 19),
        (1, 4, 18, 13, 23),
        (2, 4, 23, 9, 19),
        (3, 4, 19, 15, 20),
        (1, 5, 13, 18, 19),
        (2, 5, 16, 12, 20),
        (3, 5, 16, 17, 15),
        (4, 5, 17, 16, 14),
        (1, 6, 18, 12, 21),
        (2, 6, 22, 12, 20),
        (3, 6, 13, 10, 18),
        (4, 6, 14, 18, 19),
        (5, 6, 11, 12, 21),
    ]
)
"""Data of Davidson (1970): two brands i and j of chocolate pudding, then the numbers of testers who preferred i, had no
preference, and preferred j."""


def probabilities(difference: float, tie: float, order: float) -> list[float]:
    """Return the probabilities of Black's win, a draw and White's win if Black is ``difference`` Elo units better."""
    black, white = 10 ** (difference / 800) * sqrt(order), 10 ** (-difference / 800) / sqrt(order)
    return [each / (black + tie + white) for each in (black, tie, white)]


def simulated(
    elo: dict[str, float], games: int, random: Generator, tie: float = 0.8, order: float = 1.3
) -> list[RatedGame]:
    """Return the results of ``games`` games of each player as Black against each other player."""
    return [
        RatedGame(black, white, float(score))
        for black, white in permutations(elo, 2)
        for score in random.choice([1, 0.5, 0], size=games, p=probabilities(elo[black] - elo[white], tie, order))
    ]


def rate(players: str | Sequence[str], games: Sequence[RatedGame], **options: float) -> dict[str, PlayerRating]:
    return {each.player: each for each in Davidson(**options).rate(list(players), games)}  # type: ignore[arg-type]


def match(wins: int, draws: int, losses: int) -> list[RatedGame]:
    """Return the results of ``a`` against ``b``; ``a`` has Black in every other game."""
    scores = [1.0] * wins + [0.5] * draws + [0.0] * losses
    return [
        RatedGame("a", "b", score) if number % 2 else RatedGame("b", "a", 1 - score)
        for number, score in enumerate(scores)
    ]


def test_davidson_is_registered() -> None:
    assert load().get("rating", "davidson").cls is Davidson


def test_pudding_data_give_the_published_estimates() -> None:
    i, j = PUDDING[:, 0] - 1, PUDDING[:, 1] - 1
    fitted = fit(6, i, j, PUDDING[:, 2:].astype(float), prior_sd=1e6, first_move=False)
    worths = np.exp(fitted.ratings / ELO)
    assert worths / worths.sum() == pytest.approx([0.1388, 0.1730, 0.1617, 0.1654, 0.1587, 0.2024], abs=5e-5)
    assert fitted.tie == pytest.approx(0.7468, abs=5e-5)
    assert fitted.order == 1
    assert fitted.log_likelihood == pytest.approx(-809.7095, abs=5e-5)


def test_known_strengths_are_recovered() -> None:
    elo = {"a": 300.0, "b": 50.0, "c": 0.0, "d": -350.0}
    games = simulated(elo, 20_000, np.random.default_rng(1))
    ratings = rate("abcd", games)
    for player, rating in elo.items():
        assert ratings[player].rating == pytest.approx(rating, abs=5)
        assert ratings[player].error < 5
        assert ratings[player].games == 6 * 20_000


def test_tie_and_order_are_recovered() -> None:
    counts = np.array([probabilities(200, 0.6, 1.5), probabilities(-200, 0.6, 1.5)]) * 100_000
    fitted = fit(2, np.array([0, 1]), np.array([1, 0]), counts, prior_sd=500, first_move=True)
    assert fitted.ratings == pytest.approx([100, -100], abs=0.01)
    assert (fitted.tie, fitted.order) == pytest.approx((0.6, 1.5), abs=1e-4)


def test_two_players_without_draws_differ_by_the_logit_of_the_score() -> None:
    counts = np.array([[75.0, 0, 25], [25, 0, 75]])
    fitted = fit(2, np.array([0, 1]), np.array([1, 0]), counts, prior_sd=1e6, first_move=True)
    assert fitted.ratings[0] - fitted.ratings[1] == pytest.approx(ELO * log(3), abs=1e-3)


def test_ratings_and_errors_agree_with_a_general_optimiser() -> None:
    """The posterior is computed game by game, and the errors by finite differences."""
    elo = {"a": 200.0, "b": 100.0, "c": 0.0, "d": -100.0, "e": -400.0}
    games = simulated(elo, 15, np.random.default_rng(2))
    prior_sd = 200.0

    def loss(x: np.ndarray) -> float:  # five ratings, tie, order in units of 100 Elo
        ratings, tie, order = dict(zip(elo, 100 * x, strict=False)), 10 ** (x[5] / 4), 10 ** (x[6] / 4)
        total = float(x @ x) / (2 * (prior_sd / 100) ** 2)
        for game in games:
            chances = probabilities(ratings[game.black] - ratings[game.white], tie, order)
            total -= log(chances[int(2 - 2 * game.score)])
        return total

    best = minimize(loss, np.zeros(7), method="BFGS").x
    step = np.eye(7) / 50
    hessian = [
        [loss(best + u + v) - loss(best + u - v) - loss(best - u + v) + loss(best - u - v) for u in step] for v in step
    ]
    covariance = np.linalg.inv(hessian) * 4 / 50**2
    centred = np.eye(5) - 1 / 5
    errors = 1.959964 * np.sqrt(np.diag(centred @ covariance[:5, :5] @ centred))
    ratings = rate("abcde", games, prior_sd=prior_sd).values()
    assert [each.rating for each in ratings] == pytest.approx(100 * best[:5], abs=0.01)
    assert [each.error for each in ratings] == pytest.approx(100 * errors, rel=1e-3)


@given(st.integers(0, 40), st.integers(0, 40))
def test_equal_results_give_equal_ratings(wins: int, draws: int) -> None:
    ratings = rate("ab", match(wins, draws, 0) + match(0, draws, wins))
    assert (ratings["a"].rating, ratings["b"].rating) == (0, 0)
    assert str(ratings["a"].rating) == "0.0"
    assert ratings["a"].error == ratings["b"].error


results = st.lists(
    st.builds(RatedGame, st.sampled_from("abc"), st.sampled_from("def"), st.sampled_from([1.0, 0.5, 0.0])),
    max_size=30,
)


@settings(deadline=None)
@given(results, st.randoms(), st.booleans())
def test_ratings_are_finite_have_mean_0_and_do_not_depend_on_order(
    games: list[RatedGame], random: object, first_move: bool
) -> None:
    ratings = rate("abcdef", games, first_move=first_move)
    assert list(ratings) == list("abcdef")
    played = [each for each in ratings.values() if each.games]
    assert sum(each.rating for each in played) == pytest.approx(0, abs=1e-5)
    assert all(abs(each.rating) < 5000 and 0 <= each.error < 1000 for each in ratings.values())
    random.shuffle(games)  # type: ignore[attr-defined]
    other = rate("fedcba", games, first_move=first_move)
    for player, each in ratings.items():
        assert other[player].rating == pytest.approx(each.rating, abs=1e-4)
        assert other[player].error == pytest.approx(each.error, abs=1e-4)
        assert other[player].games == each.games


@given(results)
def test_swapping_wins_and_losses_negates_the_ratings(games: list[RatedGame]) -> None:
    swapped = [RatedGame(game.black, game.white, 1 - game.score) for game in games]
    original, negated = rate("abcdef", games, first_move=False), rate("abcdef", swapped, first_move=False)
    for player in "abcdef":
        assert original[player].rating == pytest.approx(-negated[player].rating, abs=1e-4)


def test_perfect_scores_give_finite_ratings_that_grow_with_the_number_of_games() -> None:
    few, many = (rate("ab", match(n, 0, 0))["a"].rating for n in (4, 60))
    assert 100 < few < many < 1000
    assert few == -rate("ab", match(4, 0, 0))["b"].rating


def test_players_that_beat_only_the_next_player_are_rated_in_order() -> None:
    games = [
        RatedGame(*colours, 1.0 if colours[0] < colours[1] else 0.0)
        for better, worse in ("ab", "bc", "cd")
        for colours in [(better, worse), (worse, better)] * 20
    ]
    ratings = [each.rating for each in rate("abcd", games).values()]
    assert ratings == sorted(ratings, reverse=True)
    assert min(np.diff(ratings[::-1])) > 100


@pytest.mark.parametrize("record", [(0, 100, 0), (50, 0, 50), (1, 0, 0), (100, 100, 0)])
def test_ratings_are_finite_with_only_draws_and_without_draws(record: tuple[int, int, int]) -> None:
    ratings = rate("ab", match(*record))
    assert all(abs(each.rating) < 1000 and 0 < each.error < 1000 for each in ratings.values())


def test_a_player_without_games_has_the_prior_and_does_not_change_other_ratings() -> None:
    games = match(30, 10, 20)
    ratings = rate("abc", games, prior_sd=300)
    assert (ratings["c"].rating, ratings["c"].games) == (0, 0)
    assert ratings["c"].error == pytest.approx(1.959964 * 300)
    assert ratings["a"] == rate("ab", games, prior_sd=300)["a"]


def test_no_players_and_no_games_can_be_rated() -> None:
    assert Davidson().rate([], []) == []
    assert [each.rating for each in Davidson().rate(["a", "b"], [])] == [0, 0]


def test_components_that_never_met_have_finite_ratings_with_larger_errors() -> None:
    one, other = match(30, 10, 20), [RatedGame("c", "d", 0.5)] * 10 + [RatedGame("d", "c", 1.0)] * 10
    ratings = rate("abcd", one + other)
    assert ratings["a"].rating + ratings["b"].rating == pytest.approx(0, abs=1e-5)
    assert ratings["a"].error > 5 * rate("ab", one)["a"].error


def test_the_error_decreases_with_the_square_root_of_the_number_of_games() -> None:
    one, hundred = (rate("ab", match(3, 2, 2) * 20 * n)["a"].error for n in (1, 100))
    assert one / hundred == pytest.approx(10, rel=0.02)


def test_the_95_percent_interval_contains_the_true_rating_in_95_percent_of_tournaments() -> None:
    elo = {"a": 150.0, "b": 0.0, "c": -150.0}
    random = np.random.default_rng(3)
    trials = [rate("abc", simulated(elo, 20, random)) for _ in range(300)]
    contained = [abs(trial[p].rating - elo[p]) <= trial[p].error for trial, p in product(trials, elo)]
    assert 0.92 < np.mean(contained) < 0.98


def test_the_advantage_of_black_does_not_count_for_the_ratings() -> None:
    """If one of two equal players always has Black, its advantage is divided between colour and rating."""
    always = [RatedGame("a", "b", 1.0)] * 70 + [RatedGame("a", "b", 0.0)] * 30
    swapped = [RatedGame("b", "a", 1.0)] * 70 + [RatedGame("b", "a", 0.0)] * 30
    assert rate("ab", always + swapped)["a"].rating == 0
    assert rate("ab", always, first_move=False)["a"].rating > rate("ab", always)["a"].rating > 0
    assert rate("ab", always)["a"].error > 3 * rate("ab", always, first_move=False)["a"].error


def test_each_of_a_hundred_thousand_games_counts_once_for_both_players() -> None:
    random = np.random.default_rng(4)
    players = [f"p{number}" for number in range(40)]
    black, white = random.integers(40, size=(2, 100_000))
    scores = random.choice([1, 0.5, 0], size=100_000)
    games = [
        RatedGame(players[b], players[w], float(score))
        for b, w, score in zip(black, white, scores, strict=True)
        if b != w
    ]
    ratings = rate(players, games)
    assert sum(each.games for each in ratings.values()) == 2 * len(games)
    assert max(abs(each.rating) for each in ratings.values()) < 30
