"""PDN FEN: accepted spellings and errors."""

from __future__ import annotations

import pytest

import arena


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("B:W21-32:B1-12", arena.Board.start().fen),
        ("W:B1,2,K3:W21,K30", "W:W21,K30:B1,2,K3"),
        (" b:w21, k30 :b1 ,2,k3. ", "B:W21,K30:B1,2,K3"),
        ("W:WK30:B", "W:WK30:B"),
        ("B:WK5-7:B12", "B:WK5,K6,K7:B12"),
    ],
)
def test_accepted_spellings_of_a_fen(text: str, fen: str) -> None:
    assert arena.Board.from_fen(text).fen == fen


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a FEN"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "is not a FEN"),
        ("B:W1:W2", "is not a FEN"),
        ("X:W1:B2", "is not a FEN"),
        ("B:W33:B2", "'33' in"),
        ("B:W0:B2", "'0' in"),
        ("B:W5-3:B2", "'5-3' in"),
        ("B:WQ5:B2", "'Q5' in"),
        ("B:W5,:B2", "'' in"),
        ("B:W5:B5", "square 5 stands twice"),
        ("B:W5,K5:B6", "square 5 stands twice"),
        ("B:W21-32:B1-13", "more than 12"),
    ],
)
def test_a_text_that_is_not_a_position_is_refused(text: str, message: str) -> None:
    with pytest.raises(arena.BadFEN, match=message):
        arena.Board.from_fen(text)
