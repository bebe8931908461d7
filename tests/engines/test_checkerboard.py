"""Shared libraries with the functions of CheckerBoard as engines."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import arena
from arena.engines import checkerboard, client
from arena.engines.checkerboard import Library
from arena.errors import UsageError
from arena.plugins import specs
from faulty import games, played
from positions import random_game

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def library(built: Path) -> Library:
    return Library(str(built / "engine.so"))


@pytest.fixture
def engine(built: Path) -> Iterator[client.Engine]:
    program = arena.Program(f"{sys.executable} -m arena engine --checkerboard {built / 'engine.so'}")
    engine = client.Engine(client.Setup(program, "example", (("move-time", "0.05"),)))
    yield engine
    engine.close()


def unrelated_library() -> str:
    """Return the path of a shared library that has nothing to do with checkers."""
    return str(np._core._multiarray_umath.__file__)


@pytest.mark.parametrize(
    ("square", "x", "y"), [(1, 6, 0), (4, 0, 0), (5, 7, 1), (8, 1, 1), (29, 7, 7), (32, 1, 7), (14, 5, 3)]
)
def test_squares_have_the_places_of_the_interface(square: int, x: int, y: int) -> None:
    board = arena.Board(1 << square - 1, 0)
    squares = checkerboard.squares_of(board)
    assert {(i, j): squares[i][j] for i in range(8) for j in range(8) if squares[i][j]} == {(x, y): 2 | 4}


def test_pieces_have_the_codes_of_the_interface() -> None:
    pieces = checkerboard.pieces_on(checkerboard.squares_of(arena.Board.from_fen("B:W3,K4:B1,K2")))
    assert pieces == [6, 10, 5, 9, *28 * [0]]


def test_the_history_begins_after_the_last_capture_or_mans_move() -> None:
    game = arena.Game(arena.Board.from_fen("B:WK32,21:B1,K5"))
    for path in [(1, 6), (32, 28), (5, 1), (28, 32), (1, 5)]:
        game.play(arena.Move(path))
    assert checkerboard.history(game) == "set gamehist W:W21,K32:BK5,6 32-28 5-1 28-32 1-5"
    game.play(arena.Move((21, 17)))
    assert checkerboard.history(game) == "set gamehist B:W17,K32:BK5,6"


def test_a_long_history_loses_its_beginning() -> None:
    rules = arena.DrawRules(None, None, None)
    game = arena.Game(arena.Board.from_fen("B:WK32:BK1"), rules)
    for _ in range(30):
        for path in [(1, 6), (32, 28), (6, 1), (28, 32)]:
            game.play(arena.Move(path))
    text = checkerboard.history(game)
    assert 230 < len(text) < 256
    fen, *moves = text.removeprefix("set gamehist ").split()
    replayed = arena.Game(arena.Board.from_fen(fen), rules)
    for move in moves:
        replayed.play(arena.Move(tuple(map(int, move.split("-")))))
    assert replayed.board == game.board


@pytest.mark.parametrize(
    ("limits", "info", "more"),
    [
        (arena.Limits(depth=4), 0, 0),
        (arena.Limits(seconds=2.0), 0b10, 0),
        (arena.Limits(clock=60.0, increment=0.5), 0b0100, 60_000 << 16 | 500),
        (arena.Limits(clock=600.0, increment=1.5), 0b1000, 60_000 << 16 | 150),
        (arena.Limits(clock=3600.0, increment=10.0), 0b1100, 36_000 << 16 | 100),
        (arena.Limits(clock=10_000.0), 0b1100, 65_535 << 16),
    ],
)
def test_clocks_are_packed_in_the_smallest_unit_in_which_they_fit(limits: arena.Limits, info: int, more: int) -> None:
    assert checkerboard.time_of(limits) == (info, more)


def test_a_library_is_asked_for_its_name_and_its_options(library: Library) -> None:
    assert library.identity == ("example", "engine.so")
    assert library.params == {"move-time": "1"}
    assert library.command("get protocolversion") == "2"
    assert library.command("set gamehist x") is None
    with pytest.raises(ValueError, match="the library refuses hashsize=64"):
        library.initialise({"move-time": "1", "hashsize": "64"})


def test_a_library_chooses_legal_moves_within_its_time(library: Library) -> None:
    library.initialise({"move-time": "0.01"})
    for board in random_game(1).boards[:-1]:
        assert library.choose(arena.Game(board)) in board.legal_moves
        assert library.choose(arena.Game(board, limits=arena.Limits(clock=0.3, increment=0.0))) in board.legal_moves


def test_a_library_is_told_to_move_at_once_when_its_time_is_over(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkerboard, "seconds_of", lambda *_: (3600.0, 0.05))
    assert library.choose(arena.Game()) in arena.Board.start().legal_moves


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (arena.Limits(nodes=9), (1.0, 1.0)),
        (arena.Limits(seconds=0.3), (0.3, 0.3)),
        (arena.Limits(clock=60.0), (2.0, 8.0)),
        (arena.Limits(clock=1.0, increment=1.0), (0.5, 0.8)),
    ],
)
def test_a_clock_gives_the_usual_time_and_the_longest(limits: arena.Limits, seconds: tuple[float, float]) -> None:
    assert checkerboard.seconds_of(limits, 1.0) == seconds


def test_a_position_that_no_move_reaches_is_returned_as_text(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_getmove", lambda *_: 3)
    game = arena.Game(arena.Board.from_fen("B:W32:B1"))
    text = f"B{'b' + 30 * 'e' + 'w'}"
    assert library.choose(game) == f"{text}->{text[1:]}"


def test_a_file_that_is_not_such_a_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the library '.*none\.so' cannot be loaded"):
        Library(str(tmp_path / "none.so"))
    with pytest.raises(UsageError, match=r"the library '.*engine\.c' cannot be loaded"):
        (tmp_path / "engine.c").write_text("int x;")
        Library(str(tmp_path / "engine.c"))
    with pytest.raises(UsageError, match=r"is not an engine for CheckerBoard: .*getmove"):
        Library(unrelated_library())


def test_it_plays_behind_the_protocol(engine: client.Engine) -> None:
    game = arena.Game()
    engine.new_game(game)
    for _ in range(6):
        game.play(engine.choose(game))
    timed = game.copy(limits=arena.Limits(seconds=0.1))
    assert engine.choose(timed) in game.board.legal_moves


@pytest.mark.long
@pytest.mark.usefixtures("fork_server")
def test_it_beats_random_without_a_forfeit(built: Path) -> None:
    command = f"{sys.executable} -m arena engine --checkerboard {built / 'engine.so'}"
    spec = specs.parse("player", f'engine:name=cb:command="{command}":params="move-time=0.01"').text
    records = played(games((spec, "random"), rounds=2), 1)
    winners = {"1-0": "black", "0-1": "white"}
    assert [record.reason for record in records] == [None, None]
    assert all(getattr(record, winners[record.result]) == spec for record in records)
