"""Statistics of the comparison of two players."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.statistics.elo import MatchCounts
from arena.store.comparisons import rows
from arena.store.game_results import GameResults

HALF_POINTS = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
RESULTS = st.sampled_from(["1-0", "0-1", "1/2-1/2"])


def pair(one: str, other: str, number: int, *results: str, forfeited_by: str | None = None) -> list[tuple[object, ...]]:
    """Return both games of a pair; ``one`` is Black in the first game."""
    first, second = results
    return [(one, other, 2 * number, first, forfeited_by), (other, one, 2 * number + 1, second, None)]


def compared(games: list[tuple[object, ...]]) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the numbers of each row by its two players."""
    specs = sorted({str(player) for game in games for player in game[:2]})
    arrays = GameResults.of(
        (1, specs.index(black), specs.index(white), number, HALF_POINTS[result], forfeited_by is not None)
        for black, white, number, result, forfeited_by in games  # type: ignore[misc]
    )
    matches = {(specs[one], specs[other]): MatchCounts(each.tolist()) for _, one, other, each in arrays.pairs()}
    return {row[:2]: row[2:] for row in rows(matches)}


def test_statistics_count_pairs_of_games() -> None:
    games = [*pair("a", "b", 0, "1-0", "0-1"), *pair("a", "b", 1, "1-0", "1-0"), *pair("a", "b", 2, "1/2-1/2", "0-1")]
    pairs, score, error, elo, elo_error, los, _ = compared(games)["a", "b"]
    played, padded = MatchCounts((0, 0, 1, 1, 1)), MatchCounts((0.5, 0, 1, 1, 1.5))
    assert (pairs, score, elo) == (3, pytest.approx(75), pytest.approx(played.elo().value))
    assert (error, elo_error) == (pytest.approx(100 * padded.score().error), pytest.approx(padded.elo().error))
    assert los == pytest.approx(100 * padded.los)


@given(st.lists(st.tuples(RESULTS, RESULTS), min_size=1, max_size=20))
def test_rows_of_the_two_players_mirror_each_other(results: list[tuple[str, str]]) -> None:
    games = [game for number, each in enumerate(results) for game in pair("a", "b", number, *each)]
    one, other = compared(games)["a", "b"], compared(games)["b", "a"]
    assert one[1] == pytest.approx(100 - other[1])
    assert one[5] == pytest.approx(100 - other[5])
    assert (one[0], one[2], one[6]) == (other[0], pytest.approx(other[2]), other[6])
    assert 0 < one[5] < 100


def test_confidence_grows_with_the_number_of_pairs() -> None:
    one_pair = compared(pair("a", "b", 0, "1-0", "0-1"))["a", "b"]
    assert one_pair[3] == inf
    assert one_pair[5] < 90
    thirty_pairs = [game for number in range(30) for game in pair("a", "b", number, "1-0", "0-1")]
    assert compared(thirty_pairs)["a", "b"][5] > 99.99


def test_pairs_with_a_forfeit_or_one_game_do_not_count() -> None:
    games = [
        *pair("a", "b", 0, "1-0", "0-1", forfeited_by="white"),
        *pair("a", "b", 1, "1-0", "1-0"),
        *pair("a", "b", 2, "1-0", "0-1")[:1],
        *pair("a", "c", 0, "1-0", "0-1")[1:],
    ]
    assert {players: row[0] for players, row in compared(games).items()} == {("a", "b"): 1, ("b", "a"): 1}


def test_p_values_grow_with_the_number_of_players() -> None:
    def table(players: str) -> float:
        games = []
        for other in players:
            for number in range(8):
                games += pair("a", other, number, "1-0", "1/2-1/2" if number % 2 else "1-0")
        return compared(games)["a", "b"][6]

    assert table("bcdef") > table("bc") > table("b")
