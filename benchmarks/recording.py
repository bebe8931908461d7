"""``python -m benchmarks.recording URL`` measures how many games a second are recorded, in SQLite and in PostgreSQL.

``URL`` names a new or empty PostgreSQL database. The games are those of a real tournament, recorded again and again
under new numbers, in batches of 100 as tournaments do. The databases take turns, so that a busy machine changes the
ratio little.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from itertools import count
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import arena
from arena.plugins import specs
from arena.store import Store
from arena.tournament import runner
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.contracts.record import GameRecord
    from arena.store import StoredTournament

TARGET = 5000
"""Games a second that PostgreSQL should reach."""
PLAYED = 200
"""Games of the tournament."""


def main() -> None:
    """Measure and print the rates."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recording", description=__doc__)
    parser.add_argument("url", help="URL of a new or empty PostgreSQL database")
    parser.add_argument("--games", type=int, default=5000, help="games of each measurement (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each database (default: %(default)s)")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        path = Path(folder, "arena.sqlite")
        with Store.open(path) as sqlite, Store.open(arguments.url) as postgresql:
            played, tournament = _played(sqlite)
            stores = {"SQLite": (sqlite, tournament), "PostgreSQL": (postgresql, _entered(postgresql, tournament))}
            renumbered = _renumbered(played)
            rates: dict[str, list[float]] = {name: [] for name in stores}
            for _ in range(arguments.rounds):
                for name, (store, entered) in stores.items():
                    games = [next(renumbered) for _ in range(arguments.games)]
                    rates[name].append(_rate(store, entered, games))
    ratios = [ours / theirs for ours, theirs in zip(rates["PostgreSQL"], rates["SQLite"], strict=True)]
    for name, found in rates.items():
        print(f"{name:12} {median(found):8.0f} games/s  ({min(found):.0f} - {max(found):.0f})")
    print(f"ratio        {median(ratios):8.2f}          ({min(ratios):.2f} - {max(ratios):.2f})")
    print(f"target       {TARGET:8} games/s  {'reached' if median(rates['PostgreSQL']) >= TARGET else 'missed'}")


def _played(store: Store) -> tuple[list[GameRecord], StoredTournament]:
    """Play a tournament; return its games and the tournament."""
    settings = TournamentSettings(seed=1, games=PLAYED)
    plan = Plan(settings, specs.parse_list("player", "random,m1"))
    tournament = runner.run("t", plan, store, workers=1)
    with arena.Results(store.database) as results:
        return [results.game(int(key)) for key in results.games("t")["game"]], tournament


def _entered(store: Store, tournament: StoredTournament) -> StoredTournament:
    """Record a tournament with the same players in another database."""
    return store.create_tournament(f"{tournament.name}-{time.time_ns()}", 1, tournament.settings, tournament.players)


def _renumbered(games: Sequence[GameRecord]) -> Iterator[GameRecord]:
    """Yield the games again and again, each time with another round and seed."""
    for number in count(PLAYED):
        yield replace(games[number % len(games)], round=number, seed=number)


def _rate(store: Store, tournament: StoredTournament, games: Sequence[GameRecord]) -> float:
    """Return how many games a second are recorded."""
    start = time.perf_counter()
    with store.recorder(tournament.id) as recorder:
        for game in games:
            recorder.add(game)
    return len(games) / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
