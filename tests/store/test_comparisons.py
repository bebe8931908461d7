"""How sure it is that one player is better than another."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.statistics.elo import MatchCounts
from arena.store.comparisons import rows

RESULTS = st.sampled_from(["1-0", "0-1", "1/2-1/2"])


def pair(one: str, other: str, number: int, *results: str, forfeited_by: str | None = None) -> list[tuple[object, ...]]:
    """Both games of a pair, ``one`` having Black in the first."""
    first, second = results
    return [(one, other, 2 * number, first, forfeited_by), (other, one, 2 * number + 1, second, None)]


def found(games: list[tuple[object, ...]]) -> dict[tuple[str, str], tuple[float, ...]]:
    return {row[:2]: row[2:] for row in rows(games)}  # type: ignore[arg-type]


def test_pairs_are_the_unit() -> None:
    games = [*pair("a", "b", 0, "1-0", "0-1"), *pair("a", "b", 1, "1-0", "1-0"), *pair("a", "b", 2, "1/2-1/2", "0-1")]
    pairs, score, error, elo, elo_error, los, _ = found(games)["a", "b"]
    plain, cautious = MatchCounts((0, 0, 1, 1, 1)), MatchCounts((0.5, 0, 1, 1, 1.5))
    assert (pairs, score, elo) == (3, pytest.approx(75), pytest.approx(plain.elo().value))
    assert (error, elo_error) == (pytest.approx(100 * cautious.score().error), pytest.approx(cautious.elo().error))
    assert los == pytest.approx(100 * cautious.los)


@given(st.lists(st.tuples(RESULTS, RESULTS), min_size=1, max_size=20))
def test_the_opponent_sees_the_opposite(results: list[tuple[str, str]]) -> None:
    games = [game for number, each in enumerate(results) for game in pair("a", "b", number, *each)]
    one, other = found(games)["a", "b"], found(games)["b", "a"]
    assert one[1] == pytest.approx(100 - other[1])
    assert one[5] == pytest.approx(100 - other[5])
    assert (one[0], one[2], one[6]) == (other[0], pytest.approx(other[2]), other[6])
    assert 0 < one[5] < 100


def test_nothing_is_sure_after_one_pair_and_much_after_thirty() -> None:
    once = found(pair("a", "b", 0, "1-0", "0-1"))["a", "b"]
    assert once[3] == inf
    assert once[5] < 90
    often = [game for number in range(30) for game in pair("a", "b", number, "1-0", "0-1")]
    assert found(often)["a", "b"][5] > 99.99


def test_forfeited_and_unfinished_pairs_are_left_out() -> None:
    games = [
        *pair("a", "b", 0, "1-0", "0-1", forfeited_by="white"),
        *pair("a", "b", 1, "1-0", "1-0"),
        *pair("a", "b", 2, "1-0", "0-1")[:1],
        *pair("a", "c", 0, "1-0", "0-1")[1:],
    ]
    assert {players: row[0] for players, row in found(games).items()} == {("a", "b"): 1, ("b", "a"): 1}


def test_many_comparisons_make_each_less_sure() -> None:
    def table(players: str) -> float:
        games = []
        for other in players:
            for number in range(8):
                games += pair("a", other, number, "1-0", "1/2-1/2" if number % 2 else "1-0")
        return found(games)["a", "b"][6]

    assert table("bcdef") > table("bc") > table("b")
