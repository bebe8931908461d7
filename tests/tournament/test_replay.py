"""Recorded games played again."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from arena.plugins import specs
from arena.store import Results, Store
from arena.tournament.plan import Plan
from arena.tournament.replay import verify
from arena.tournament.runner import run
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from pathlib import Path

    from arena.tournament.replay import Verification

pytestmark = pytest.mark.usefixtures("notes", "no_processes_left")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory, notes: Path) -> Path:  # noqa: ARG001 (installs the players)
    path = tmp_path_factory.mktemp("replay") / "arena.sqlite"
    players = specs.parse_list("player", "steady,lms,raises-in-choose,minimax:depth=9:seconds=0.001,exits")
    with Store.open(path) as store:
        settings = TournamentSettings(seed=3, games=2, openings="11man")
        run("test", Plan(settings, players), store, workers=2)
    return path


def verified(database: Path, black: str, white: str, change: str = "") -> Verification:
    """What comes of playing the game again, after a change to the database."""
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
def test_a_game_is_the_same_again(database: Path, black: str, white: str) -> None:
    found = verified(database, black, white)
    assert (found.differs, found.reservations) == (None, ())


def test_a_game_read_back_is_the_record_that_was_written(database: Path) -> None:
    with Results(database) as results:
        games = results.games("test")
        [game] = games[(games.black == "steady") & (games.white == "lms")].game
        record, again = results.game(int(game)), verified(database, "steady", "lms").again
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


def test_what_need_not_be_the_same_is_said(database: Path) -> None:
    timed = verified(database, "minimax:depth=9:seconds=0.001", "steady")
    assert "plays by the clock" in timed.reservations[0]


def test_a_changed_record_is_found_out(database: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    copy.write_bytes(database.read_bytes())
    change = "update games set moves = replace(moves, substr(moves, -5), '1-2') where pairing = 'lms vs steady'"
    found = verified(copy, "steady", "lms", change)
    assert found.differs is not None
    assert found.differs >= 3
    with sqlite3.connect(copy) as connection:
        connection.execute("update tournaments set settings = replace(settings, '0.1.0', '0.0.9')")
    connection.close()
    assert "0.0.9 then" in verified(copy, "lms", "steady").reservations[0]
