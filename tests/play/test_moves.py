"""Moves as a person names them."""

from __future__ import annotations

import pytest

from arena.checkers.board import Board
from arena.errors import IllegalMove
from arena.play.moves import named_move


@pytest.mark.parametrize("text", ["11-15", " 11 - 15 ", "11x15", "11:15"])
def test_a_move_is_named_by_its_squares(text: str) -> None:
    assert str(named_move(Board.start(), text)) == "11-15"


@pytest.mark.parametrize(
    ("fen", "text", "reason"),
    [
        ("start", "11-14", "11-14 is not legal: the piece on 11 can move 11-15 or 11-16"),
        ("start", "22-18", "22-18 is not legal: there is no black piece on 22"),
        ("start", "1-5", "1-5 is not legal: the piece on 1 cannot move"),
        ("start", "11-40", "11-40 is not legal: the squares have the numbers 1 to 32"),
        ("start", "e4", "'e4' is not a move; moves read like 9-13, 9x18 or 9x18x25"),
        ("start", "11-", "'11-' is not a move"),
        ("B:W18,30:B1,15", "1-5", "1-5 is not legal: you must capture: 15x22"),
        ("W:W25,26:B21,22", "25-29", "25-29 is not legal: the piece on 25 can move 25x18"),
    ],
)
def test_the_reason_why_a_move_is_not_legal_is_one_line(fen: str, text: str, reason: str) -> None:
    board = Board.start() if fen == "start" else Board.from_fen(fen)
    with pytest.raises(IllegalMove) as error:
        named_move(board, text)
    assert str(error.value).startswith(reason)
    assert "\n" not in str(error.value)


def test_captures_that_share_origin_and_destination_are_named_by_all_their_squares() -> None:
    board = Board.from_fen("B:W6,7,14,15:B2")
    with pytest.raises(IllegalMove, match=r"^2x18 is ambiguous: 2x9x18 or 2x11x18$"):
        named_move(board, "2x18")
    assert named_move(board, "2x9x18").captures == (6, 14)
    assert named_move(board, "2x11x18").captures == (7, 15)


@pytest.mark.parametrize("text", ["\x1b[31m1-5", "1-5" * 1000, "٣-٤", ""])
def test_any_other_text_is_refused_in_one_printable_line(text: str) -> None:
    with pytest.raises(IllegalMove) as error:
        named_move(Board.start(), text)
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 300
