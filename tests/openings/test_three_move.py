"""The official three-move ballots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.checkers.board import Board
from arena.checkers.notation import parse_move
from arena.openings import ThreeMove
from arena.plugins import specs

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.opening import Opening


def board_after(opening: Opening) -> Board:
    board = Board.start()
    for text in opening.moves:
        board = board.after(parse_move(board, text))
    return board


def test_there_are_156_ballots_of_three_legal_moves_with_their_moves_as_names() -> None:
    book = ThreeMove().openings()
    assert len(book) == 156
    for opening in book:
        assert opening.name.split() == list(opening.moves)
        assert len(opening.moves) == 3
        assert opening.fen is None
        assert board_after(opening).legal_moves


def test_all_ballots_lead_to_different_boards() -> None:
    book = ThreeMove().openings()
    assert len({board_after(opening) for opening in book}) == 156


def test_the_book_is_registered_as_3move() -> None:
    book = specs.parse("opening", "3move").create()
    assert book.openings()[0].name == "9-13 21-17 5-9"


def test_the_ballots_agree_with_the_deck_without_its_barred_ballots(real_data: Path) -> None:
    lines = (real_data / "openings/acf_3move_174.tsv").read_text("utf-8").splitlines()
    deck = [line.split("\t") for line in lines if line[0].isdigit()]
    played = [columns for columns in deck if columns[2] in {"crossboard", "mailplay"}]
    book = ThreeMove().openings()
    assert [opening.name for opening in book] == [columns[1] for columns in played]
    assert [board_after(opening) for opening in book] == [Board.from_fen(columns[-1]) for columns in played]
