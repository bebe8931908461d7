"""Small tournaments of faulty players, and stops in the middle of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arena.plugins import specs
from arena.store import Store
from arena.tournament.plan import Plan
from arena.tournament.runner import run
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from arena.tournament.tally import Progress

SETTINGS = TournamentSettings(seed=3, games=6)


class StoppedError(Exception):
    """The tournament was stopped."""


def stop_after(games: int | None) -> Callable[[Progress], None]:
    """Return a progress callback that raises StoppedError after ``games`` games; None: never."""

    def progress(now: Progress) -> None:
        if now.played == games:
            raise StoppedError

    return progress


def tournament(path: Path, players: str = "steady,reckless,mutates", **changes: Any) -> Path:
    """Play a new tournament in a database and return the path of the database.

    ``changes``: other values of :data:`SETTINGS`, and the parameters ``name``, ``workers`` and ``progress`` of ``run``.
    """
    with Store.open(path) as store:
        options = {key: changes.pop(key) for key in ("workers", "progress") if key in changes}
        name = changes.pop("name", "test")
        plan = Plan(replace(SETTINGS, **changes), specs.parse_list("player", players))
        run(name, plan, store, **{"workers": 2, **options})
    return path


def planned(path: Path) -> tuple[int, int | None]:
    """Return the numbers of recorded and of planned games."""
    with closing(sqlite3.connect(path)) as connection:
        [row] = connection.execute("select games, planned from v_tournaments").fetchall()
    return row[0], row[1]
