"""Opponents and advisers that fail, in real processes: an opponent forfeits, an adviser gives no hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil
import pytest

from arena.checkers.game import Termination
from arena.checkers.move import Side
from arena.errors import ArenaError
from arena.play import Session, new_setup
from arena.store import Results
from faulty import notes
from launchers import SHARED, module_launcher
from playing import moves, store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from arena.store import Store
    from launchers import SharedLauncher

__all__ = ["module_launcher", "notes", "store"]
pytestmark = pytest.mark.usefixtures("notes", "no_process_left")


@pytest.fixture
def no_process_left(notes: object, module_launcher: SharedLauncher) -> Iterator[None]:  # noqa: ARG001 (comes first)
    before = set(psutil.Process().children())
    yield
    assert set(psutil.Process().children()) - before <= module_launcher.processes()


@pytest.mark.parametrize(
    ("player", "termination", "reason"),
    [
        ("raises-in-constructor", Termination.EXCEPTION, "not even born"),
        pytest.param("raises-in-start", Termination.EXCEPTION, "not yet awake", marks=pytest.mark.long),
        ("raises-in-choose", Termination.EXCEPTION, "lost my mind"),
        pytest.param("illegal", Termination.ILLEGAL_MOVE, "choose returned", marks=pytest.mark.long),
        pytest.param("exits", Termination.CRASH, "exit code", marks=pytest.mark.long),
        ("hangs", Termination.TIMEOUT, "no answer within 0.5 seconds"),
        pytest.param("leaks-at-once", Termination.MEMORY, "300 MB", marks=pytest.mark.long),
    ],
)
def test_an_opponent_that_fails_forfeits_on_record(
    store: Store, player: str, termination: Termination, reason: str
) -> None:
    timeout = 0.5 if player == "hangs" else 60.0
    with Session(new_setup(store, player, seed=1, move_timeout=timeout, memory=300), store) as game:
        game.start()
        while game.ending is None:
            moves(game, 1)
        assert game.ending.winner is Side.BLACK
        assert game.ending.forfeited_by is Side.WHITE
        assert game.ending.termination is termination
        name = game.record()
    with Results(store.location) as results:
        record = results.game(name)
        assert (record.result, record.termination, record.forfeited_by) == ("1-0", termination.value, "white")
        assert reason in (record.reason or "")
        assert list(results.forfeits("people").player) == [player]


def test_an_adviser_that_fails_is_one_line_and_the_game_goes_on(store: Store) -> None:
    with Session(new_setup(store, "random", seed=1), store) as game:
        game.start()
        for player in ("raises-in-constructor", "raises-in-start"):
            with pytest.raises(ArenaError, match=rf"^{player} failed: ValueError: not") as error:
                game.advice(player)
            assert "\n" not in str(error.value)
        assert game.hints == 0
        assert game.advice("random").move in game.game.board.legal_moves
        moves(game, 1)
        assert game.persons_turn


def test_an_opponent_killed_from_outside_is_started_again(store: Store) -> None:
    SHARED.close()
    before = set(psutil.Process().children())
    with Session(new_setup(store, "steady", seed=1), store) as game:
        game.start()
        [process] = set(psutil.Process().children()) - before
        process.kill()
        moves(game, 1)
        assert game.persons_turn
        assert game.game.ply == 2


def test_the_same_seed_and_moves_give_the_same_game(store: Store) -> None:
    games = []
    for _ in range(2):
        with Session(new_setup(store, "random", seed=3), store) as game:
            moves(game, 6)
            games.append(game.game.moves)
    assert games[0] == games[1]


def test_an_opponent_from_a_file_plays_and_its_game_is_taken_up(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import arena\n\n\nclass First(arena.Player):\n"
        "    def choose(self, game):\n        return game.board.legal_moves[0]\n"
    )
    with Session(new_setup(store, f"{file}:First", seed=1), store) as game:
        moves(game, 1)
        assert game.game.ply == 2
        game.save()
    with Session.resumed(store.people.get("last"), store) as again:
        moves(again, 1)
        assert again.advice("mine").move == again.game.board.legal_moves[0]
        assert again.game.ply == 4
        assert again.changes == []
