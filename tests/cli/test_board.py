"""The drawing of the board and of the facts beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from arena.checkers.board import Board
from arena.checkers.move import Move, Side
from arena.cli import board
from arena.cli.board import Look
from playing import moves, opponent, play, store, time

if TYPE_CHECKING:
    from playing import Play

__all__ = ["opponent", "play", "store", "time"]

COLOURED, SHADED, ASCII = Look(True, True), Look(False, True), Look(False, False)


def test_black_sits_at_the_bottom_of_a_flipped_board() -> None:
    upright = board.small_board(Board.from_fen("B:WK21,32:B1,K12"), flipped=False).splitlines()
    assert upright[0] == "    b   .   .   .       1  2  3  4"
    assert upright[2] == "    .   .   .   B       9 10 11 12"
    assert upright[5] == "  W   .   .   .        21 22 23 24"
    flipped = board.small_board(Board.from_fen("B:WK21,32:B1,K12"), flipped=True).splitlines()
    assert flipped[0] == "    w   .   .   .      32 31 30 29"
    assert flipped[7] == "  .   .   .   b         4  3  2  1"


@pytest.mark.parametrize("look", [COLOURED, SHADED, ASCII])
@pytest.mark.parametrize("flipped", [False, True])
def test_every_dark_square_of_the_large_board_has_its_number_and_piece(look: Look, flipped: bool) -> None:
    lines = board.large_board(Board.from_fen("B:WK21,32:B1,K12"), flipped, look).plain.splitlines()
    assert len(lines) == 16
    assert {len(line) for line in lines} == {40}
    cells = {
        line[start : start + 5].strip(): lines[row + 1][start : start + 5].strip()
        for row, line in enumerate(lines)
        if row % 2 == 0
        for start in range(0, 40, 5)
        if line[start : start + 5].strip("░: ")
    }
    assert set(cells) == set(map(str, range(1, 33)))
    pieces = ("●", "♚", "●", "♚") if look is COLOURED else ("b", "B", "w", "W")
    assert {square: piece for square, piece in cells.items() if piece} == dict(
        zip(("1", "12", "32", "21"), pieces, strict=True)
    )


def test_without_colours_the_screen_has_no_escape_sequences_and_without_unicode_only_ascii(play: Play) -> None:
    game = play()
    moves(game, 2)
    for look in (SHADED, ASCII):
        console = Console(width=80, force_terminal=True, no_color=True, color_system=None, record=True, highlight=False)
        with console.capture() as captured:
            console.print(board.screen(game, True, look, 0.5))
        assert "\x1b" not in captured.get()
        assert captured.get().isascii() is (look is ASCII)


def test_the_screen_fits_80_columns_and_17_lines(play: Play) -> None:
    game = play(name="N" * 40, clock=36000.0, start="B:WK29:BK6,K8,K11,K14,K16,K17,K22,K24")
    console = Console(width=80, height=24, force_terminal=True)
    with console.capture() as captured:
        console.print(board.screen(game, True, SHADED, 0.123))
    lines = captured.get().splitlines()
    assert len(lines) <= 17
    text = captured.get()
    assert "win probability 12 %" in text
    assert "600:00" in text
    assert "... moves lists all of them" in text


def test_the_facts_tell_captures_kings_turn_and_move_number(play: Play) -> None:
    game = play(start="B:W18,25,K30:B15,K1", side=Side.BLACK)
    game.play(Move((15, 22, 29)))
    assert list(board.facts(game, None)) == [
        "> White: random",
        "    captured 0, kings 1",
        "  Black: you",
        "    captured 2, kings 2",
        "move 1, White to move",
    ]


def test_draws_that_are_near_are_announced(play: Play) -> None:
    game = play(start="B:WK32:BK1")
    game.play(Move((1, 5)))
    game.reply()
    game.play(Move((5, 1)))
    game.reply()
    assert "position occurs for the 2. time" in "\n".join(board.facts(game, None))


@pytest.mark.parametrize(("seconds", "text"), [(3725.0, "62:05"), (65.9, "1:05"), (9.95, "9.9 s"), (-1.0, "0.0 s")])
def test_clocks_are_shown_in_minutes_and_seconds(seconds: float, text: str) -> None:
    assert board.clock_text(seconds) in (text, "10.0 s")


def test_legal_moves_are_numbered_in_columns(play: Play) -> None:
    game = play()
    assert board.move_lines(game, 30) == [
        " 1 9-13    2 10-14   3 11-15",
        " 4 12-16   5 9-14    6 10-15",
        " 7 11-16",
    ]
