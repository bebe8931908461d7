"""A database whose texts try to be markup wherever they may."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import arena
from arena.store import PlayerIdentity, Store
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<script>alert('$x$')</script>"
START = struct.pack("<3I", 0xFFF, 0xFFF << 20, 0)
AFTER = struct.pack("<3I", 0xFFF & ~(1 << 8) | 1 << 12, 0xFFF << 20, 0)
OUTCOMES = (("1-0", None), ("1/2-1/2", None), ("0-1", "black"), ("1-0", None))


def hostile_database(path: Path) -> Path:
    """Make a database with the tournament ``t1`` of four games, and return its path."""
    players = (HOSTILE, "m1")
    identities = [PlayerIdentity(name, name, HOSTILE, "1&2", None, "abc") for name in players]
    settings = TournamentSettings(games=4, openings=HOSTILE).to_json() | {"players": []}
    with Store.open(path) as store:
        tournament = store.create_tournament("t1", 7, settings, identities, 4)
        pairing = " vs ".join(sorted(players))
        store.schedule(tournament.id, {pairing}, 4)
        with store.recorder(tournament.id) as recorder:
            for number, (result, forfeited_by) in enumerate(OUTCOMES):
                black, white = players if number % 2 == 0 else players[::-1]
                recorder.add(
                    arena.GameRecord(
                        pairing=pairing,
                        round=number,
                        seed=100 + number,
                        opening="usual",
                        black=black,
                        white=white,
                        first="black",
                        boards=START + AFTER,
                        movetext="9-13",
                        result=result,
                        termination="exception" if forfeited_by else "no moves",
                        forfeited_by=forfeited_by,
                        reason=f"ValueError: {HOSTILE}" if forfeited_by else None,
                    )
                )
    return path
