"""Recorded games played again."""

from __future__ import annotations

import signal
import sqlite3
from typing import TYPE_CHECKING

import pytest

from arena.contracts.player import Player
from arena.plugins import specs
from arena.store import Results, Store
from arena.tournament import debugging
from arena.tournament.plan import Plan
from arena.tournament.replay import prepare, verify
from arena.tournament.runner import run
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from pathlib import Path

    from arena.checkers.game import Game
    from arena.checkers.move import Move
    from arena.tournament.replay import Verification

pytestmark = pytest.mark.usefixtures("notes", "shared_launcher")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, notes: Path) -> Path:  # noqa: ARG001 (installs the players)
    path = tmp_path_factory.mktemp("replay") / "arena.sqlite"
    players = specs.parse_list("player", "steady,lms,raises-in-choose,minimax:depth=9:seconds=0.001,exits")
    with Store.open(path) as store:
        settings = TournamentSettings(seed=3, games=2, openings="11man")
        run("test", Plan(settings, players), store, workers=2)
    return path


def verified(database: Path, black: str, white: str, change: str = "") -> Verification:
    """The verification of a game, after an SQL statement has changed the database."""
    if change:
        with sqlite3.connect(database) as connection:
            connection.execute(change)
        connection.close()
    with Results(database) as results:
        games = results.games("test")
        [game] = games[(games.black == black) & (games.white == white)].game
        return verify(results, results.tournament("test"), results.game(int(game)))


@pytest.mark.parametrize(
    ("black", "white"), [("steady", "lms"), ("lms", "steady"), ("steady", "raises-in-choose"), ("exits", "lms")]
)
def test_a_game_played_again_is_the_same(database: Path, black: str, white: str) -> None:
    found = verified(database, black, white)
    assert (found.difference, found.reservations) == (None, ())


def test_a_game_read_from_the_database_is_the_record_of_the_game(database: Path) -> None:
    with Results(database) as results:
        games = results.games("test")
        [game] = games[(games.black == "steady") & (games.white == "lms")].game
        record, again = results.game(int(game)), verified(database, "steady", "lms").replayed
        assert record.scores == pytest.approx(again.scores, nan_ok=True)
        for field in (
            "pairing",
            "round",
            "seed",
            "opening",
            "boards",
            "moves",
            "depths",
            "nodes",
            "pvs",
            "forfeited_by",
        ):
            assert getattr(record, field) == getattr(again, field), field
        assert len(record.seconds) == record.plies


def test_players_with_limited_time_are_named_as_reservations(database: Path) -> None:
    timed = verified(database, "minimax:depth=9:seconds=0.001", "steady")
    assert "plays by the clock" in timed.reservations[0]


def test_a_changed_record_differs(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(database.read_bytes())
    change = "update games set moves = replace(moves, substr(moves, -5), '1-2') where pairing = 'lms vs steady'"
    found = verified(copy, "steady", "lms", change)
    assert found.difference is not None
    assert found.difference >= 3
    with sqlite3.connect(copy) as connection:
        connection.execute("update tournaments set settings = replace(settings, '0.1.0', '0.0.9')")
    connection.close()
    assert "0.0.9 then" in verified(copy, "lms", "steady").reservations[0]


def debugged(database: Path, black: str, white: str) -> tuple[Verification, int, list[str]]:
    """The game played again in this process, the number of its moves that were reported, and the faults."""
    moves, faults = [], []
    with Results(database) as results:
        games = results.games("test")
        [game] = games[(games.black == black) & (games.white == white)].game
        replay = prepare(results, results.tournament("test"), results.game(int(game)))
        found = debugging.debug(
            replay, lambda ply, *_: moves.append(ply), lambda text, error: faults.append(f"{type(error)} {text}")
        )
    return found, len(moves), faults


@pytest.mark.parametrize(("black", "white"), [("lms", "steady"), ("steady", "raises-in-choose")])
def test_a_game_played_in_this_process_is_the_same(database: Path, black: str, white: str) -> None:
    found, moves, faults = debugged(database, black, white)
    assert found.difference is None
    opening_plies = 2
    assert moves == found.replayed.plies - opening_plies
    assert [found.replayed.reason in fault for fault in faults if found.replayed.reason] == [True] * len(faults)
    assert len(faults) == ("raises" in white)


def test_ctrl_c_shows_where_a_player_hangs(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hanging(Player):
        def choose(self, game: Game) -> Move:  # noqa: ARG002
            signal.raise_signal(signal.SIGINT)
            raise AssertionError("not reached")

    faults: list[str] = []
    monkeypatch.setattr(debugging, "player_of", lambda *_: Hanging())
    with Results(database) as results:
        replay = prepare(results, results.tournament("test"), results.game("test/1"))
    with pytest.raises(KeyboardInterrupt):
        debugging.debug(replay, lambda *_: None, lambda text, _: faults.append(text))
    assert len(faults) == 1
    assert "signal.raise_signal(signal.SIGINT)" in faults[0]
