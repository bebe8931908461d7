"""Glicko-2: the worked example of its paper, and properties of the ratings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contracts.rating import RatedGame
from arena.plugins import specs
from arena.ratings.glicko2 import Glicko2, Strength, updated

GAMES = st.lists(
    st.builds(RatedGame, st.just("a"), st.sampled_from("bc"), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=30
)


def test_the_worked_example_of_the_paper() -> None:
    opponents = [Strength(1400, 30), Strength(1550, 100), Strength(1700, 300)]
    after = updated(Strength(1500, 200, 0.06), list(zip(opponents, [1.0, 0.0, 0.0], strict=True)), tau=0.5)
    assert after.rating == pytest.approx(1464.05, abs=0.005)
    assert after.deviation == pytest.approx(151.52, abs=0.005)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_the_deviation_of_a_player_without_games_grows() -> None:
    after = updated(Strength(1600, 50), [], tau=0.5)
    assert after.rating == 1600
    assert after.deviation == pytest.approx((50**2 + (0.06 * 173.7178) ** 2) ** 0.5)


@given(GAMES)
def test_swapping_wins_and_losses_mirrors_the_ratings(games: list[RatedGame]) -> None:
    mirrored = [RatedGame(game.black, game.white, 1 - game.score) for game in games]
    for one, other in zip(Glicko2().rate("abc", games), Glicko2().rate("abc", mirrored), strict=True):
        assert one.rating - 1500 == pytest.approx(1500 - other.rating, abs=1e-6)
        assert one.error == pytest.approx(other.error)
        assert one.games == other.games


@given(GAMES)
def test_a_period_of_all_games_is_the_default(games: list[RatedGame]) -> None:
    assert Glicko2(period=len(games)).rate("abc", games) == Glicko2().rate("abc", games)


def test_better_results_give_better_ratings() -> None:
    games = [RatedGame("a", "b", 1.0)] * 20 + [RatedGame("c", "a", 0.5)] * 20
    a, b, c = specs.parse("rating", "glicko2:period=10").create().rate("abc", games)
    assert a.rating > c.rating > 1500 > b.rating
    assert (a.games, b.games, c.games) == (40, 20, 20)
