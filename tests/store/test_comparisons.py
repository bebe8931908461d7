"""Statistics of the comparison of two players."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine

from arena.statistics.elo import MatchCounts
from arena.store.comparisons import superiority

TABLES = {
    "tournaments": "id, name",
    "players": "id, spec",
    "games": "tournament_id, black_id, white_id, round, result, forfeited_by",
}
RESULTS = st.sampled_from(["1-0", "0-1", "1/2-1/2"])


def pair(one: str, other: str, number: int, *results: str, forfeited_by: str | None = None) -> list[tuple[object, ...]]:
    """Return both games of a pair; ``one`` is Black in the first game."""
    first, second = results
    return [(one, other, 2 * number, first, forfeited_by), (other, one, 2 * number + 1, second, None)]


def compared(games: list[tuple[object, ...]]) -> dict[tuple[str, str], tuple[float, ...]]:
    """Return the numbers of each row by its two players. The database has only the columns that are needed."""
    specs = sorted({str(player) for game in games for player in game[:2]}, reverse=True)
    with create_engine("sqlite://").connect() as connection:
        for table, columns in TABLES.items():
            connection.exec_driver_sql(f"CREATE TABLE {table} ({columns})")
        connection.exec_driver_sql("INSERT INTO tournaments VALUES (1, 't1')")
        connection.exec_driver_sql("INSERT INTO players VALUES (?, ?)", list(enumerate(specs)))
        connection.exec_driver_sql(
            "INSERT INTO games VALUES (1, ?, ?, ?, ?, ?)",
            [(specs.index(str(black)), specs.index(str(white)), *game) for black, white, *game in games],
        )
        return {row[1:3]: row[3:] for row in superiority(connection, None)}


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
