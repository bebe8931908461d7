"""Opponents that fail, in real processes: they forfeit, and the server goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psutil
import pytest

from arena.store import Results
from arena.web.site import Limits
from faulty import notes
from serving import client_of
from web_play import WebGame

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["notes"]
pytestmark = pytest.mark.usefixtures("notes")


@pytest.mark.parametrize(
    ("player", "termination", "reason"),
    [
        pytest.param("raises-in-start", "exception", "not yet awake", marks=pytest.mark.long),
        ("hangs", "timeout", "no answer within 3 seconds"),
        ("exits", "crash", "exit code"),
        pytest.param("leaks-at-once", "memory", "400 MB", marks=pytest.mark.long),
        pytest.param("illegal", "illegal move", "choose returned", marks=pytest.mark.long),
    ],
)
def test_an_opponent_that_fails_forfeits_and_the_reason_is_shown(
    database: Path, player: str, termination: str, reason: str
) -> None:
    before = set(psutil.Process().children())
    with client_of(database, limits=Limits(move_seconds=3.0, memory=400)) as client:
        game = WebGame(client, against=player, side="white")
        while game.state["ending"] is None:
            game.move()
        ending = game.state["ending"]
        assert ending["person"] == "won"
        assert (ending["termination"], ending["forfeited_by"]) == (termination, "black")
        assert reason in ending["reason"]
        with Results(database) as results:
            assert list(results.forfeits("people").player) == [player]
    assert set(psutil.Process().children()) <= before


def test_a_hint_of_a_player_that_fails_is_one_sentence(database: Path) -> None:
    with client_of(database, limits=Limits(move_seconds=3.0)) as client:
        game = WebGame(client, against="steady")
        response = game.try_("hint", player="raises-in-start")
        assert response.status_code == 400
        assert "raises-in-start failed" in response.text
        assert game.move()["ending"] is None


@pytest.mark.long
def test_an_opponent_killed_from_outside_is_started_again(database: Path) -> None:
    before = set(psutil.Process().children())
    with client_of(database) as client:
        game = WebGame(client, against="steady")
        [process] = set(psutil.Process().children()) - before
        process.kill()
        assert len(game.move()["moves"]) == 2
