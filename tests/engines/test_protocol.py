"""Lines, positions, moves, limits, rules and seeds as text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

import arena
from arena.engines import protocol
from arena.errors import IllegalMove
from positions import random_game

START = "Bbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww"
words = st.text(alphabet="abz-_09é=: ", max_size=8)


@pytest.mark.parametrize(
    ("text", "command", "arguments"),
    [
        ("hub", "hub", {}),
        ("  done move=11-15 ponder=23-19\n", "done", {"move": "11-15", "ponder": "23-19"}),
        ('info pv="11-15 23-19" depth=3', "info", {"pv": "11-15 23-19", "depth": "3"}),
        ('param name=book value="" type=string', "param", {"name": "book", "value": "", "type": "string"}),
        ("level infinite", "level", {"infinite": ""}),
        ("done move", "done", {"move": ""}),
        ('info pv="11-15" depth="3', "info", {"pv": "11-15"}),
        ("", "", {}),
        ("???", "???", {}),
    ],
)
def test_lines_are_a_command_and_arguments(text: str, command: str, arguments: dict[str, str]) -> None:
    assert protocol.parse(text) == (command, arguments)


@given(st.dictionaries(st.from_regex(r"[a-z]+", fullmatch=True), words, max_size=4))
def test_lines_that_are_written_are_read_as_the_same_arguments(arguments: dict[str, str]) -> None:
    text = protocol.line("set-param", **arguments)
    assert "\n" not in text
    expected = {name: " ".join(value.split()) for name, value in arguments.items()}
    assert protocol.parse(text) == ("set-param", expected)


def test_values_have_no_quotes_and_no_line_breaks() -> None:
    line = protocol.line("error", message='it said "no"\nand stopped', other=None, move_time=1.5)
    assert line == "error message=\"it said 'no' and stopped\" move-time=1.5"


def test_a_position_is_the_side_to_move_and_32_squares() -> None:
    assert protocol.position_text(arena.Board.start()) == START
    board = arena.Board.from_fen("W:W21,K22:B1-3,K32")
    assert protocol.position_text(board) == "Wbbb" + 17 * "e" + "wW" + 9 * "e" + "B"


@given(st.integers(0, 2**32))
def test_positions_and_moves_of_random_games_are_read_as_written(seed: int) -> None:
    game = random_game(seed)
    for board, played in zip(game.boards, [*game.moves, None], strict=True):
        assert protocol.board_of(protocol.position_text(board)) == board
        texts = [protocol.move_text(move) for move in board.legal_moves]
        assert len(set(texts)) == len(texts)
        assert played is None or protocol.parse_move(board, protocol.move_text(played)) is played


@pytest.mark.parametrize("text", ["", START[1:], START + "e", "b" + START[1:], START[:-1] + "x"])
def test_a_bad_position_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a position: it has B or W, and then e, b, w, B or W for 32 squares"):
        protocol.board_of(text)


def test_captures_are_written_with_the_captured_squares() -> None:
    board = arena.Board.from_fen("B:W14,15,22,23:BK10")
    texts = {str(move): protocol.move_text(move) for move in board.legal_moves}
    assert texts["10x17x26x19x10"] == "10x10x14x22x23x15"
    assert texts["10x19x26x17x10"] == "10x10x15x23x22x14"


def test_captured_squares_may_stand_in_any_order() -> None:
    board = arena.Board.from_fen("B:W14,15,22,23:BK10")
    assert str(protocol.parse_move(board, "10x10x15x23x22x14")) == "10x19x26x17x10"
    other_order = protocol.parse_move(board, "10x10x14x15x22x23")
    assert board.after(other_order) == board.after(arena.Move((10, 19, 26, 17, 10)))


@pytest.mark.parametrize("text", ["", "9-13x", "9-14-18", "10x10", "10x26", "10x10x14x22x23", "11-15", "10-10"])
def test_other_texts_are_not_legal_moves(text: str) -> None:
    board = arena.Board.from_fen("B:W14,15,22,23:BK10")
    with pytest.raises(IllegalMove, match="legal moves: 10x10x14x22x23x15, 10x10x15x23x22x14"):
        protocol.parse_move(board, text)


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        (arena.Limits(), "level"),
        (arena.Limits(depth=3, nodes=500), "level depth=3 nodes=500"),
        (arena.Limits(seconds=0.5), "level move-time=0.5"),
        (arena.Limits(clock=60.0), "level time=60.0 inc=0.0"),
        (arena.Limits(clock=60.0, increment=2.0), "level time=58.0 inc=2.0"),
    ],
)
def test_limits_are_the_arguments_of_level(limits: arena.Limits, line: str) -> None:
    assert protocol.line("level", **protocol.level(limits)) == line
    assert protocol.limits_of(protocol.parse(line)[1]) == limits


@pytest.mark.parametrize(
    "rules",
    [arena.DrawRules(), arena.DrawRules(None, None, None), arena.DrawRules(5, 40, 200)],
)
def test_draw_rules_are_parameters(rules: Any) -> None:
    assert protocol.rules_of(protocol.rule_parameters(rules)) == rules


@given(st.integers(0, 2**63 - 1), st.sampled_from(arena.SIDES))
def test_the_seed_gives_an_equal_generator(seed: int, side: arena.Side) -> None:
    random = default_rng((seed, side))
    assert protocol.seed_of(random) == 2 * seed + side
    assert protocol.generator(2 * seed + side).random(3).tolist() == random.random(3).tolist()


def test_other_generators_draw_the_seed() -> None:
    seeds = {protocol.seed_of(default_rng(seed)) for seed in range(20)}
    assert len(seeds) == 20
    assert all(0 <= seed < 2**64 for seed in seeds)
