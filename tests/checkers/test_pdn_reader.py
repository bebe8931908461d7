"""The PDN reader: accepted deviations from the standard, and errors."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

import arena
from arena.checkers import pdn

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str) -> list[pdn.PDNGame | pdn.PDNError]:
    return list(pdn.read(io.StringIO(text)))


def game(text: str) -> pdn.PDNGame:
    """The only game of a text."""
    [only] = read(text)
    assert isinstance(only, pdn.PDNGame), only
    return only


def problem(text: str) -> str:
    """The error in the only game of a text."""
    [only] = read(text)
    assert isinstance(only, pdn.PDNError)
    return str(only)


def moves(text: str) -> str:
    return " ".join(map(str, game(text).moves))


def test_tags_moves_boards_result_and_comments_are_read() -> None:
    read_game = game(
        '[Event "Glasgow"]\n[Black "Wyllie, J."]\n[White "Martins, R."]\n[Result "1-0"]\n\n'
        "1. 11-15 23-18\n2. 8-11 27-23 {a comment} 3. 4-8 1-0\n"
    )
    assert read_game.tags == {"Event": "Glasgow", "Black": "Wyllie, J.", "White": "Martins, R.", "Result": "1-0"}
    assert [str(move) for move in read_game.moves] == ["11-15", "23-18", "8-11", "27-23", "4-8"]
    assert read_game.boards[0] == arena.Board.start()
    assert all(
        before.after(move) == after
        for before, move, after in zip(read_game.boards, read_game.moves, read_game.boards[1:], strict=False)
    )
    assert (read_game.result, read_game.file, read_game.number, read_game.line) == ("1-0", "<text>", 1, 1)
    assert read_game.comments == ("", "", "", "", "a comment", "")


@pytest.mark.parametrize(
    "text",
    [
        "1. 11-15 23-18 2. 8-11 *",
        "1. 11x15 23x18 2. 8x11 *",
        "1. 11-15 23-18 8-11 *",
        "11-15 23-18 8-11 *",
        "1.11-15 23-18 2.8-11*",
        "1. 11-15 1... 23-18 2. 8-11 *",
        "1.\n11-15\n23-18\n2.\n8-11\n*",
        "1. 11 - 15 23 -18 2. 8- 11 *",
        "1. 11:15 23\N{EN DASH}18 2. 8\N{MULTIPLICATION SIGN}11 *",
        "1. 11-15! 23-18?! 2. 8-11 ?? *",
        "1. 11-15 (!) 23-18 $1 2. 8-11 $140 *",
        "1. 11-15 (11-16 24-19 (23-18 16-20) 1-0) 23-18 ( {in it} 22-18\n) 2. 8-11 *",
        "1. 11-15 See the 20-minute note A, p. 19 - or the 7th 23-18 2. 8-11Red overstepped the time control there. *",
        "% 1. 9-13 is not meant\n1. 11-15 23-18 ; 2. 9-13 neither\n 2. 8-11 *",
        "\ufeff1. 11-15 23-18 2. 8-11 *",
    ],
)
def test_accepted_spellings_of_the_same_moves(text: str, tmp_path: Path) -> None:
    assert moves(text.removeprefix("\ufeff")) == "11-15 23-18 8-11"
    path = tmp_path / "game.pdn"
    path.write_text(text, encoding="utf-8")
    [read_game] = pdn.read(path)
    assert isinstance(read_game, pdn.PDNGame)
    assert (len(read_game.moves), read_game.file) == (3, str(path))


@pytest.mark.parametrize("move", ["9" * 5000 + "-15", "11-" + "9" * 5000, "11" + "-15" * 5000])
def test_a_move_with_thousands_of_digits_spoils_only_its_game(move: str) -> None:
    bad, good = read(f"1. {move} 1-0\n\n1. 11-15 23-18 0-1\n")
    assert isinstance(bad, pdn.PDNError)
    assert "is not a move" in str(bad)
    assert len(str(bad)) < 300
    assert isinstance(good, pdn.PDNGame)
    assert good.result == "0-1"


@pytest.mark.parametrize("piece", ['[a "(', '[a "x\\"] (', "{a}", "11-15 {a} ", "[", '[a "x" ', "(["])
def test_a_long_line_is_read_in_linear_time(piece: str) -> None:
    """A reader of quadratic time would need an hour for this test."""
    line = piece * (900_000 // len(piece))
    [only] = read(f"1. 11-15 {line}\n1-0\n") or [None]
    assert only is not None


def test_a_value_with_quotes_and_brackets_is_a_tag() -> None:
    tags = game('[Event "the "old" [one"] [Site "a\\"]b"]\n1. 11-15 23-18 1-0').tags
    assert tags["Event"] == 'the "old" [one'
    assert tags["Site"] == 'a"]b'


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_accepted_line_ends(tmp_path: Path, end: str) -> None:
    path = tmp_path / "game.pdn"
    text = (
        '[Event "a"]\n[Result "*"]\n1. 11-15 ; one\n23-18 *\n\n[Event "b"]\n1. 9-13 *\n[Event "c"]\n1. 9-14 32-27 *\n'
    )
    path.write_bytes(text.replace("\n", end).encode())
    first, second, third = pdn.read(path)
    assert isinstance(first, pdn.PDNGame)
    assert isinstance(second, pdn.PDNGame)
    assert [len(first.moves), len(second.moves), first.line, second.line] == [2, 1, 1, 6]
    assert isinstance(third, pdn.PDNError)
    assert (third.number, third.line) == (3, 9)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_accepted_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "game.pdn"
    path.write_bytes(
        '[Event "a"]\n[White "Müller \N{EN DASH} Özil"]\n*'.encode("cp1252" if encoding == "cp1252" else encoding)
    )
    [read_game] = pdn.read(path)
    assert isinstance(read_game, pdn.PDNGame)
    assert read_game.tags == {"Event": "a", "White": "Müller \N{EN DASH} Özil"}


def test_accepted_spellings_of_tags() -> None:
    text = r'[Event "The "Big" one"] [Site "a \"b\" \\ c"]' '\n[Date ""]\n  [ Round  "2 of 3" ]\n[Black "[x]"] *'
    tags = {"Event": 'The "Big" one', "Site": r'a "b" \ c', "Date": "", "Round": "2 of 3", "Black": "[x]"}
    assert game(text).tags == tags


@pytest.mark.parametrize("tag", ["Setup", "SetUp", "Date"])
def test_a_game_from_a_position(tag: str) -> None:
    read_game = game(f'[{tag} "1"]\n[FEN "W:W29,25,21,18,15:B13,8,6,5,4."]\n1. 21-17 13x22 2. 15-10 *')
    assert read_game.boards[0] == arena.Board.from_fen("W:W29,25,21,18,15:B13,8,6,5,4")
    assert len(read_game.moves) == 3


@pytest.mark.parametrize(
    ("fen", "text", "start"),
    [
        ("B:W18:B1,30", "1-5 18-14", "B:W18:B1,30"),
        ("B:W18:B1,30", "30-25 18-14", "B:W18:B1,K30"),
        ("W:W2,24:B12", "2-7 12-16", "W:WK2,24:B12"),
    ],
)
def test_a_man_on_its_king_row_is_a_king_only_if_the_moves_need_one(fen: str, text: str, start: str) -> None:
    assert game(f'[FEN "{fen}"] {text} *').boards[0].fen == start


AMBIGUOUS = '[FEN "W:W9,19:B7,8,15,16"] 1. 19x3'


@pytest.mark.parametrize(
    ("text", "path"),
    [(" 16-20", "19x10x3"), (" 15-18", "19x12x3"), (" 16-20 3x12", "19x10x3")],
)
def test_a_short_capture_takes_the_route_that_makes_the_following_moves_legal(text: str, path: str) -> None:
    assert moves(f"{AMBIGUOUS}{text} *").split()[0] == path


def test_a_short_capture_that_stays_ambiguous_is_an_error() -> None:
    assert problem(f"{AMBIGUOUS} *").endswith("game 1, line 1: ply 1: 19x3 is ambiguous: 19x12x3 or 19x10x3")
    assert "ply 2: 16-21 is not legal in" in problem(f"{AMBIGUOUS} 16-21 *")


@pytest.mark.parametrize(
    ("tag", "end", "result"),
    [
        ("1-0", "1-0", "1-0"),
        ("", "0-1", "0-1"),
        ("*", "0-1", "0-1"),
        ("?", "1/2-1/2", "1/2-1/2"),
        ("1-0", "*", "1-0"),
        ("0-1", "1-0", "0-1"),
        ("2-0", "2-0", "1-0"),
        ("", "0-2", "0-1"),
        ("", "1-1", "1/2-1/2"),
        ("0-0", "0-0", "*"),
    ],
)
def test_result_from_the_tag_and_the_end_of_the_moves(tag: str, end: str, result: str) -> None:
    assert game(f'[Event ""]\n[Result "{tag}"]\n1. 11-15 {end}').result == result


def test_games_are_read_without_tags_and_without_gaps() -> None:
    text = '1. 11-15 0-1[Event "b"]\n[Result "1-0"] 9-13 1-0 1. 10-15 1/2-1/2 said somebody * [Event "d"] 0-1'
    games = read(text)
    assert [(len(one.moves), one.result, one.number) for one in games if isinstance(one, pdn.PDNGame)] == [
        (1, "0-1", 1),
        (1, "1-0", 2),
        (1, "1/2-1/2", 3),
        (0, "0-1", 4),
    ]


def test_the_result_between_games_may_be_missing_if_a_tag_has_it() -> None:
    first, second, third = read('[Event "a"][Result "1-0"] 1. 9-13\n[Event "b"] 1. 9-13\n[Event "c"] *')
    assert isinstance(first, pdn.PDNGame)
    assert first.result == "1-0"
    assert "line 2: there is no result, neither as a tag nor after the moves" in str(second)
    assert isinstance(third, pdn.PDNGame)


def test_comments_belong_to_the_board_before_them_and_numbers_are_values() -> None:
    text = '[Event "a"] {before\nall moves} 1. 11-15 {+0.25} {again} 23-18 {-3}\n(9-13 {no}) 2. 8-11 ; .5 \n{a\n{b}*'
    read_game = game(text)
    assert read_game.comments == ("before all moves", "+0.25 again", "-3", ".5 a {b")
    assert read_game.values == (None, None, -3.0, None)
    assert game("1. 9-13 {12} 21-17 { 0.5} *").values == (None, 12.0, 0.5)
    assert game("1. 9-13 *").values == game("1. 9-13 *").comments == ()


def test_draw_rules_do_not_end_a_game() -> None:
    shuffle = "1-5 32-28 5-1 28-32 " * 150
    assert len(game(f'[FEN "B:WK32:BK1"] {shuffle} 1/2-1/2').moves) == 600


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (
            '[Event "a"]\n[GameType "20"]\n1. 32-28 19-23 2. 28x19 *',
            1,
            "GameType 20 is not English checkers, which is 21",
        ),
        ('[Event "a"]\n[GameType "25,W,8,8,A0,0"]\n1. c3-d4 *', 1, "GameType 25 is"),
        ("1.\ne3-d4 b6-c5 *", 2, "e3-d4 is algebraic notation"),
        ("1. e4 e5 2. Nf3 Nc6 1-0", 1, "e4 is algebraic notation"),
        ("1. c3xe5xg7 *", 1, "is algebraic notation"),
        ("1. 11-15\n23-19\n2. 8-12 *", 3, "ply 3: 8-12 is not legal in B:W"),
        ("1. 11-15 23-33 *", 1, "ply 2: 23-33 is not legal"),
        ("1. 11-15 23- *", 1, "23- is not a move"),
        ("1. 11-15 2E-19 *", 1, "2E-19 is not a move"),
        ("1. 11-15 Z3-19 *", 1, "Z3-19 is not a move"),
        ("1. 11-l5 *", 1, "11-l5 is not a move"),
        ("1. 11-15 {never closed *\n\n", 1, "a comment is not closed"),
        ("1. 11-15\n(11-16 *\n\n", 2, "a variation is not closed"),
        ('[Event "a]\n1. 11-15 *', 1, '[Event "a is not a tag'),
        ('[Event "a"]\n[FEN "W:W33:B1"]\n*', 1, "'33' in"),
        ("1. 11-15 23-19", 1, "the file ends before the game does"),
        ('[Event "a"]\n[Result "1-0"]\n', 2, "the file ends before the game does"),
        ('[Event "a"]\n[Whi', 2, "[Whi is not a tag"),
    ],
)
def test_an_error_names_game_and_line_and_the_next_game_is_read(text: str, line: int, message: str) -> None:
    error = read(text)[0]
    assert isinstance(error, pdn.PDNError)
    assert str(error).startswith(f"<text>: game 1, line {line}: ")
    assert message in str(error)
    assert "\n" not in str(error)
    if "ends before" not in message and "[Whi" not in text:
        bad, good = read(text + '\n[Event "next"]\n1. 9-13 1-0')
        assert isinstance(bad, pdn.PDNError)
        assert isinstance(good, pdn.PDNGame)
        assert (good.number, good.line) == (2, text.count("\n") + 2)


def test_a_file_cut_off_anywhere_loses_its_last_game_at_most() -> None:
    whole = '[Event "a"]\n[Result "1-0"]\n1. 11-15 {good} 23-19 2. 8-11 1-0\n'
    for length in range(1, len(whole) - 1):
        *good, last = read(whole + whole[:length])
        assert len(good) == 1, length
        assert isinstance(last, pdn.PDNError), length
        assert last.number == 2


@pytest.mark.parametrize("content", [b"", b"\n\n", b"Dear diary,\ntoday I played.\n", b"% nothing\n{neither}\n"])
def test_a_file_without_games_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "diary.txt"
    path.write_bytes(content)
    [error] = pdn.read(path)
    assert str(error) == f"{path}: holds no game"


@pytest.mark.parametrize("content", [b"\x00\x01\x02", b"PK\x03\x04 \n\x00", "1. 11-15 *".encode("utf-16")])
def test_a_binary_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "games.pdn"
    path.write_bytes(content)
    [error] = pdn.read(path)
    assert "the line contains binary data, so this is not a PDN file" in str(error)


def test_a_line_without_end_is_not_read_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.checkers.pdn.reader.LONGEST_LINE", 1000)
    path = tmp_path / "games.pdn"
    path.write_text("1. 9-13 *\n" + "9-13 " * 1000)
    good, error = pdn.read(path)
    assert isinstance(good, pdn.PDNGame)
    assert "game 2, line 2: the line has more than 1000 characters" in str(error)


def test_a_file_that_cannot_be_opened_raises_an_error(tmp_path: Path) -> None:
    with pytest.raises(pdn.PDNError, match=r"gone\.pdn: cannot be opened: "):
        list(pdn.read(tmp_path / "gone.pdn"))
    with pytest.raises(pdn.PDNError, match="cannot be opened: "):
        list(pdn.read(tmp_path))


def test_games_are_yielded_while_the_file_is_read() -> None:
    class Endless(io.StringIO):
        def readline(self, _: int | None = -1, /) -> str:
            return "1. 11-15 23-19 1-0\n"

    games = pdn.read(Endless())
    assert [next(games).number for _ in range(1000)] == list(range(1, 1001))


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("1. 11-15! 23-18? 2. 8-11 *", ("!", "?", "")),
        ("1. 11-15 ! 23-18 $4 2. 8-11!? *", ("!", "??", "!?")),
        ("1. 11-15 23-18 {why?} 2. 8-11!! (4-8?) *", ("", "", "!!")),
        ("1. 11-15 23-18 $17 2. 8-11 *", ()),
        ("! 1. 11-15 23-18! $2 *", ("", "!")),
    ],
)
def test_marks_belong_to_the_move_before_them(text: str, marks: tuple[str, ...]) -> None:
    assert game(text).marks == marks
