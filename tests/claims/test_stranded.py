"""``arena claims stranded``: men in the centre without support."""

from __future__ import annotations

import pytest

import arena
from arena_claims.stranded import BEHIND, after_each_move, stranded_men
from claiming import rows_of


def place(square: int) -> tuple[int, int]:
    """Row and column of a square, 0 to 7, in the standard numbering."""
    row, along = divmod(square - 1, 4)
    return row, 2 * along + (row % 2 == 0)


def test_the_centre_is_the_two_middle_rows_without_the_border() -> None:
    centre = {n for n in range(1, 33) if place(n)[0] in (3, 4) and place(n)[1] not in (0, 7)}
    assert set(BEHIND) == centre
    for square, behind in BEHIND.items():
        row, column = place(square)
        assert {place(n) for n in behind} == {(row - 1, column - 1), (row - 1, column + 1)}


@pytest.mark.parametrize(
    ("fen", "count"),
    [
        ("B:W32:B15", 1),
        ("B:W32:B15,10", 0),
        ("B:W32:B15,11", 0),
        ("B:W32:BK10,15", 0),  # a king supports a man
        ("B:W32:BK15", 0),  # a king is not a man
        ("B:W10,11,32:B15", 1),  # enemy pieces do not support a man
        ("B:W32:B15,19", 1),  # 15 supports 19
        ("B:W32:B13,20,22", 0),  # on the border or outside the centre
        ("B:W32:B14,15,16", 3),
    ],
)
def test_stranded_men_of_given_boards(fen: str, count: int) -> None:
    board = arena.Board.from_fen(fen)
    assert stranded_men(board.black, board.kings) == count


def test_stranded_men_are_counted_after_each_move() -> None:
    board = arena.Board.from_fen("B:W32:B10,14")
    counts = dict(zip(map(str, board.legal_moves), after_each_move(board), strict=True))
    assert counts == {"10-15": 2, "14-17": 1, "14-18": 1}


def test_rows_have_consistent_columns_and_equal_boards() -> None:
    words = ("--players", "random,m1", "--learners", "lms", "--games", 20, "--boards", 40, "--seeds", 3)
    rows = rows_of("stranded", *words)
    assert [(row["player"], row["games"]) for row in rows] == [("random", None), ("m1", None), ("lms", 0), ("lms", 20)]
    for row in rows:
        assert row["least"] <= row["stranded"]
        assert row["least"] < row["chance"]
        assert row["excess"] == pytest.approx(row["stranded"] - row["chance"])
        assert row["excess_low"] <= row["excess"] <= row["excess_high"]
        assert (row["chance"], row["least"]) == (rows[0]["chance"], rows[0]["least"])
    assert rows == rows_of("stranded", *words)


def test_random_moves_strand_as_many_men_as_chance() -> None:
    [row] = rows_of("stranded", "--players", "random", "--learners", "", "--boards", 300, "--seeds", 3)
    assert abs(row["excess"]) < 0.1 < row["chance"] - row["least"]
