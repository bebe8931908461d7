"""What a notebook shows of boards, games and records."""

from __future__ import annotations

import struct
from xml.etree import ElementTree

import arena

START = arena.Board.start()
HOSTILE = "<script>alert(1)</script>"


def pieces(picture: str) -> int:
    """The number of pieces in a picture of a board; kings have a ring."""
    circles = [each for each in ElementTree.fromstring(picture).iter() if each.tag.endswith("circle")]
    return sum(each.get("fill") != "none" for each in circles)


def record(game: arena.Game, **changes: object) -> arena.GameRecord:
    values = {
        "pairing": "a vs b",
        "round": 0,
        "seed": 1,
        "opening": "usual",
        "black": "a",
        "white": "b",
        "first": str(game.boards[0].side),
        "boards": b"".join(struct.pack("<3I", board.black, board.white, board.kings) for board in game.boards),
        "movetext": " ".join(map(str, game.moves)),
        "result": "1/2-1/2",
        "termination": "ply cap",
    }
    return arena.GameRecord(**values | changes)  # type: ignore[arg-type]


def test_a_game_shows_its_current_board() -> None:
    game = arena.Game()
    for _ in range(8):
        captures = [move for move in game.board.legal_moves if move.captures]
        game.play((captures or game.board.legal_moves)[0])
    assert game._repr_svg_() == game.board._repr_svg_()
    assert pieces(game._repr_svg_()) == (game.board.black | game.board.white).bit_count()


def test_a_record_shows_its_last_board_and_its_moves() -> None:
    game = arena.Game()
    for _ in range(3):
        game.play(game.board.legal_moves[0])
    shown = record(game)._repr_html_()
    assert game.board._repr_svg_() in shown
    first, second, third = game.moves
    assert f"<p>1. {first} {second} 2. {third}</p>" in shown
    assert "a (Black) against b (White): 1/2-1/2 after 3 plies, ply cap" in shown


def test_a_record_that_white_begins_numbers_its_moves_like_pdn() -> None:
    game = arena.Game(arena.Board(START.black, START.white, 0, arena.Side.WHITE))
    for _ in range(2):
        game.play(game.board.legal_moves[0])
    first, second = game.moves
    assert f"<p>1... {first} 2. {second}</p>" in record(game)._repr_html_()


def test_texts_of_a_record_are_never_markup() -> None:
    shown = record(arena.Game(), black=HOSTILE, termination=HOSTILE)._repr_html_()
    assert HOSTILE not in shown
    assert "&lt;script&gt;" in shown
