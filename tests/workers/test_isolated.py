"""An isolated player used alone: it plays any game, and its failures stay in its process."""

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
    """Check that no process remains at the end."""
    before = set(psutil.Process().children())
    yield
    assert set(psutil.Process().children()) <= before


@pytest.fixture(scope="module")
def search(notes: object, nothing_left: None) -> Iterator[IsolatedPlayer]:  # noqa: ARG001 (these fixtures come first)
    with IsolatedPlayer.create("minimax:depth=4") as player:
        yield player


def test_it_reports_the_same_as_a_player_in_this_process(search: IsolatedPlayer) -> None:
    local, game = specs.parse("player", "minimax:depth=4").create(), Game()
    for _ in range(6):
        local_game, isolated_game = game.copy(), game.copy()
        move = local.choose(local_game)
        assert search.choose(isolated_game) in game.board.legal_moves
        assert (isolated_game.reported.score, isolated_game.reported.depth) == (
            local_game.reported.score,
            local_game.reported.depth,
        )
        game.play(move)


def test_it_plays_on_after_undone_moves_and_in_other_games(search: IsolatedPlayer) -> None:
    game = Game()
    for _ in range(4):
        game.play(search.choose(game))
    for _ in range(3):
        game.undo()
    assert search.choose(game) in game.board.legal_moves
    other = Game(Board.from_fen("W:WK32,31:BK1,2"))
    assert search.choose(other) in other.board.legal_moves
    assert search.choose(Game()) in Game().board.legal_moves


def test_it_obeys_the_limits_of_the_game(search: IsolatedPlayer) -> None:
    game = Game(limits=Limits(depth=2))
    search.choose(game)
    assert game.reported.depth == 2
    game.limits = Limits(depth=3)
    search.choose(game)
    assert game.reported.depth == 3


@pytest.mark.long
def test_random_numbers_follow_the_seed() -> None:
    chosen = []
    for seed in (1, 1, 2):
        with IsolatedPlayer.create("random", seed=seed) as player:
            game = Game()
            while game.ply < 20:
                game.play(player.choose(game))
            chosen.append(game.moves)
    assert chosen[0] == chosen[1] != chosen[2]


def test_an_unknown_spec_is_refused() -> None:
    with pytest.raises(UnknownName):
        IsolatedPlayer.create("nobody")


@pytest.mark.parametrize(
    ("spec", "termination", "move_timeout"),
    [
        ("raises-in-constructor", Termination.EXCEPTION, 60.0),
        pytest.param("raises-in-choose", Termination.EXCEPTION, 60.0, marks=pytest.mark.long),
        pytest.param("illegal", Termination.ILLEGAL_MOVE, 60.0, marks=pytest.mark.long),
        ("exits", Termination.CRASH, 60.0),
        ("leaks-at-once", Termination.MEMORY, 60.0),
        ("hangs", Termination.TIMEOUT, 0.5),
    ],
)
def test_a_failure_raises_a_fault_with_its_termination(
    spec: str, termination: Termination, move_timeout: float
) -> None:
    game = Game()
    with pytest.raises(Fault) as fault, IsolatedPlayer.create(spec, move_timeout=move_timeout, memory=300) as player:
        while True:
            game.play(player.choose(game))
    assert fault.value.termination == termination


def test_a_process_killed_from_outside_raises_disturbance() -> None:
    earlier = {child.pid for child in psutil.Process().children()}
    with IsolatedPlayer.create("steady") as player:
        [process] = [child for child in psutil.Process().children() if child.pid not in earlier]
        process.kill()
        with pytest.raises(Disturbance, match="SIGKILL" if os.name == "posix" else None):
            player.choose(Game())


def test_close_ends_the_processes_that_the_player_started(notes: Path) -> None:
    with IsolatedPlayer.create("breeds") as player:
        game = Game()
        while game.ply < 3:
            game.play(player.choose(game))
        child = psutil.Process(int((notes / "bred").read_text()))
    wait_for_end(child.pid)
