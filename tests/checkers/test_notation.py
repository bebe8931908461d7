"""Move text."""

from __future__ import annotations

import pytest
from draughts import Board as PyDraughtsBoard
from hypothesis import given

import arena
from arena.checkers.notation import move_text, parse_move
from positions import boards, games


@given(boards())
def test_move_texts_are_distinct_and_are_parsed_to_their_moves(board: arena.Board) -> None:
    texts = [move_text(board, move) for move in board.legal_moves]
    assert len(set(texts)) == len(texts)
    for text, move in zip(texts, board.legal_moves, strict=True):
        assert parse_move(board, text) is move
        assert parse_move(board, str(move)) is move


@given(games())
def test_move_texts_agree_with_pydraughts(game: arena.Game) -> None:
    board = game.board
    expected = {move.pdn_move for move in PyDraughtsBoard(variant="english", fen=board.fen).legal_moves()}
    assert {move_text(board, move) for move in board.legal_moves} == expected


def test_a_short_capture_that_two_routes_share_is_written_in_full() -> None:
    board = arena.Board.from_fen("W:W9,19:B7,8,15,16")
    assert {move_text(board, move) for move in board.legal_moves} == {"19x10x3", "19x12x3"}
    with pytest.raises(arena.IllegalMove, match="19x3 is ambiguous: 19x12x3 or 19x10x3"):
        parse_move(board, "19x3")


@pytest.mark.parametrize("text", ["9-13", " 9x13 ", "9:13", "9 - 13"])
def test_accepted_spellings_of_a_move(text: str) -> None:
    assert str(parse_move(arena.Board.start(), text)) == "9-13"


def test_a_long_capture_may_be_named_by_some_of_its_squares() -> None:
    board = arena.Board.from_fen("W:WK8,K17,30:B7,14,15,22,23,K27")
    assert {str(move) for move in board.legal_moves} >= {"17x26x19x10x3", "17x10x3"}
    assert str(parse_move(board, "17x19x3")) == "17x26x19x10x3"
    assert str(parse_move(board, "17x10x3")) == "17x10x3"


def test_routes_to_one_position_are_not_ambiguous() -> None:
    board = arena.Board.from_fen("B:W15,16,K23,24,K26:BK27")
    assert {move_text(board, move) for move in board.legal_moves} == {"27x20x11x18x27", "27x18x11x20x27"}
    assert board.after(parse_move(board, "27x27")) == board.after(board.legal_moves[0])


@pytest.mark.parametrize(
    ("text", "message"),
    [("9-18", "is not legal.*9-13"), ("nonsense", "is not a move"), ("9", "is not a move")],
)
def test_a_text_that_is_not_a_legal_move_is_refused(text: str, message: str) -> None:
    with pytest.raises(arena.IllegalMove, match=message):
        parse_move(arena.Board.start(), text)
