"""An isolated player used alone: any game can be shown to it, and what goes wrong stays in its process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import psutil
import pytest

from arena.checkers.board import Board
from arena.checkers.game import Game, Limits, Termination
from arena.errors import UnknownName
from arena.plugins import specs
from arena.referee.match import Disturbance, Fault
from arena.workers.isolated import IsolatedPlayer
from faulty import wait_for_end

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("notes", "nothing_left")


@pytest.fixture(scope="module")
def nothing_left() -> Iterator[None]:
    """No process is left in the end."""
    yield
    assert not psutil.Process().children()


@pytest.fixture(scope="module")
def search(notes: object, nothing_left: None) -> Iterator[IsolatedPlayer]:  # noqa: ARG001 (they go before)
    with IsolatedPlayer.create("minimax:depth=4") as player:
        yield player


def test_it_chooses_and_reports_what_the_player_does_in_this_process(search: IsolatedPlayer) -> None:
    here, game, again = specs.parse("player", "minimax:depth=4").create(), Game(), Game()
    for _ in range(6):
        mine, its = game.copy(), again.copy()
        move = here.choose(mine)
        assert search.choose(its) in game.board.legal_moves
        assert (its.reported.score, its.reported.depth) == (mine.reported.score, mine.reported.depth)
        game.play(move)
        again.play(move)


def test_moves_are_taken_back_and_another_game_is_begun(search: IsolatedPlayer) -> None:
    game = Game()
    for _ in range(4):
        game.play(search.choose(game))
    for _ in range(3):
        game.undo()
    assert search.choose(game) in game.board.legal_moves
    other = Game(Board.from_fen("W:WK32,31:BK1,2"))
    assert search.choose(other) in other.board.legal_moves
    assert search.choose(Game()) in Game().board.legal_moves


def test_limits_are_those_of_the_game(search: IsolatedPlayer) -> None:
    game = Game(limits=Limits(depth=2))
    search.choose(game)
    assert game.reported.depth == 2
    game.limits = Limits(depth=3)
    search.choose(game)
    assert game.reported.depth == 3


def test_random_numbers_follow_the_seed() -> None:
    chosen = []
    for seed in (1, 1, 2):
        with IsolatedPlayer.create("random", seed=seed) as player:
            game = Game()
            while game.ply < 20:
                game.play(player.choose(game))
            chosen.append(game.moves)
    assert chosen[0] == chosen[1] != chosen[2]


def test_a_spec_that_names_nobody_is_refused() -> None:
    with pytest.raises(UnknownName):
        IsolatedPlayer.create("nobody")


@pytest.mark.parametrize(
    ("spec", "termination"),
    [
        ("raises-in-constructor", Termination.EXCEPTION),
        ("raises-in-choose", Termination.EXCEPTION),
        ("illegal", Termination.ILLEGAL_MOVE),
        ("exits", Termination.CRASH),
        ("leaks-at-once", Termination.MEMORY),
        ("hangs", Termination.TIMEOUT),
    ],
)
def test_what_goes_wrong_is_a_fault_that_says_how(spec: str, termination: Termination) -> None:
    game = Game()
    with pytest.raises(Fault) as fault, IsolatedPlayer.create(spec, move_timeout=10.0, memory=300) as player:
        while True:
            game.play(player.choose(game))
    assert fault.value.termination == termination


def test_a_process_that_somebody_kills_is_no_fault_of_the_player() -> None:
    known = {each.pid for each in psutil.Process().children()}
    with IsolatedPlayer.create("steady") as player:
        [process] = [each for each in psutil.Process().children() if each.pid not in known]
        process.kill()
        with pytest.raises(Disturbance, match="SIGKILL" if os.name == "posix" else None):
            player.choose(Game())


def test_closing_it_ends_what_it_has_started(notes: Path) -> None:
    with IsolatedPlayer.create("breeds") as player:
        game = Game()
        while game.ply < 3:
            game.play(player.choose(game))
        child = psutil.Process(int((notes / "bred").read_text()))
    wait_for_end(child.pid)
