"""Opening books: two-move and eleven-man ballots, random openings, openings from files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.checkers.board import Board
from arena.checkers.notation import parse_move
from arena.errors import UsageError
from arena.openings import ElevenMan, File, RandomPlies, TwoMove
from arena.plugins import specs

if TYPE_CHECKING:
    from pathlib import Path

    from arena.contracts.opening import Opening


def board_after(opening: Opening) -> Board:
    board = Board.start() if opening.fen is None else Board.from_fen(opening.fen)
    for text in opening.moves:
        board = board.after(parse_move(board, text))
    return board


def test_there_are_43_two_move_ballots_with_different_boards() -> None:
    book = TwoMove().openings()
    assert len(book) == len({board_after(opening) for opening in book}) == 43
    assert [opening.name for opening in book[:2]] == ["9-13 21-17", "9-13 22-17"]


def test_two_move_ballots_agree_with_the_decks(real_data: Path) -> None:
    lines = (real_data / "openings" / "2move_49.tsv").read_text("utf-8").splitlines()
    decks = {line.split("\t")[0] for line in lines if "\tplayable\t" in line}
    assert {opening.name for opening in TwoMove().openings()} == decks


def test_there_are_2253_playable_eleven_man_ballots() -> None:
    book = ElevenMan().openings()
    assert len(book) == len({opening.name for opening in book}) == 2253
    for opening in book[::50]:
        board = board_after(opening)
        assert board.black.bit_count() + board.white.bit_count() >= 20
        assert board.legal_moves


def test_eleven_man_ballots_lead_to_the_positions_of_the_deck(real_data: Path) -> None:
    lines = (real_data / "openings" / "11man_pydraughts_2500.tsv").read_text("utf-8").splitlines()
    sound = [Board.from_fen(line.split("\t")[2]) for line in lines if "\tsound\t" in line]
    assert [board_after(opening) for opening in ElevenMan().openings()] == sound


def test_random_openings_have_different_boards_and_depend_only_on_the_seed() -> None:
    book = RandomPlies(plies=5, number=300).openings()
    assert len({board_after(opening) for opening in book}) == 300
    assert {len(opening.moves) for opening in book} == {5}
    assert book == RandomPlies(plies=5, number=300).openings()
    assert book[:100] == RandomPlies(plies=5, number=100).openings()
    assert book != RandomPlies(plies=5, number=300, seed=1).openings()
    assert len(RandomPlies(plies=1, number=10).openings()) == 7


def test_positions_are_read_from_a_file_without_duplicates(tmp_path: Path) -> None:
    path = tmp_path / "endings.fen"
    path.write_text("# endings\n\nB:WK1,K2:B20\nW:W30:B1  # a comment\nB:WK1,K2:B20\n")
    book = File(str(path)).openings()
    assert [board_after(opening).fen for opening in book] == ["B:WK1,K2:B20", "W:W30:B1"]


def test_first_moves_of_games_are_read_from_a_pdn_file(tmp_path: Path) -> None:
    path = tmp_path / "games.pdn"
    path.write_text(
        "1. 11-15 23-19 2. 8-11 *\n\n1. 11-15 23-19 2. 9-14 *\n\n1. 11-15 *\n\n"
        '[FEN "W:W30,29:B1,2."]\n1. 30-26 1-6 2. 29-25 *\n'
    )
    book = File(str(path), plies=2).openings()
    assert [opening.moves for opening in book] == [("11-15", "23-19"), ("30-26", "1-6")]
    assert book[1].fen == "W:W29,30:B1,2"
    assert len(File(str(path), plies=3).openings()) == 3


@pytest.mark.parametrize(
    ("text", "complaint"), [("", "holds no opening"), ("B:W20:B32\n", "holds no opening"), ("hello\n", "line 1")]
)
def test_a_file_without_openings_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "book.fen"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        File(str(path)).openings()
    with pytest.raises(UsageError, match="cannot be read"):
        File(str(tmp_path / "nothing")).openings()


@pytest.mark.parametrize("name", ["2move", "11man", "random:plies=4:number=10", "3move"])
def test_books_are_registered(name: str) -> None:
    assert specs.parse("opening", name).create().openings()
