"""Tournaments recorded without playing them, and what ``arena results`` prints about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.cli.app import run
from arena.contracts.record import GameRecord
from arena.ratings.davidson import Davidson
from arena.store import PlayerIdentity, Store

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SEED = 2**63 - 9
"""A number that a float cannot hold exactly."""
REASON = 'Traceback (most recent call last):\n  File "greedy.py", line 7, in choose\nKeyError: {}'


def recorded(path: Path, players: str, results: list[str], planned: int | None = None) -> None:
    """Record a tournament of players with names of one letter.

    Results: ``a>b``: a has Black and wins; ``a=b``: a draw; ``a!b``: a has Black and forfeits. All games are of one
    stage, and the games of a pairing follow one another.
    """
    with Store.open(path) as store:
        seats = [PlayerIdentity(player, player, "test", "1") for player in players]
        tournament = store.create_tournament("test", SEED, {}, seats, planned)
        store.schedule(tournament.id, {" vs ".join(sorted(result[::2])) for result in results}, len(results))
        with store.recorder(tournament.id) as recorder:
            for number, (black, how, white) in enumerate(results):
                recorder.add(
                    GameRecord(
                        pairing=" vs ".join(sorted((black, white))),
                        round=number,
                        seed=SEED - number,
                        opening="",
                        black=black,
                        white=white,
                        first="black",
                        boards=bytes(12),
                        movetext="",
                        result={">": "1-0", "=": "1/2-1/2", "!": "0-1"}[how],
                        termination="exception" if how == "!" else "no moves",
                        forfeited_by="black" if how == "!" else None,
                        reason=REASON.format(white) if how == "!" else None,
                    )
                )
        table = Davidson().rate(list(players), store.rated_games(tournament.id))
        store.save_ratings(tournament.id, "davidson", table, 0)


def text_of(capsys: pytest.CaptureFixture[str], path: Path, *words: str) -> str:
    """Return what ``arena results`` prints with these words."""
    assert run(["results", *words, "--db", str(path)]) == 0
    return capsys.readouterr().out
