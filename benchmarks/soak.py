"""``python -m benchmarks.soak``: a long tournament of short games with a faulty player in it.

Five players meet each other, one of which fails in four games of a hundred: it raises, chooses what is no move, exits
or crashes; and in one more it leaves memory taken. Memory must not grow with the number of games, every game must be on
record once, and nobody else may be blamed. What the players and all processes took is told.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import psutil

from arena import Results
from arena.checkers.game import DrawRules
from arena.plugins import specs
from arena.store import Store
from arena.tournament.plan import Plan
from arena.tournament.runner import run
from arena.tournament.settings import TournamentSettings
from arena.workers import system

if TYPE_CHECKING:
    from arena.tournament.tally import Progress

PLUGINS = Path(__file__).parent.parent / "tests/tournament/plugins"
PLAYERS = "random,m1,steady,reckless,moody"
PAIRINGS = 10
SHOWN = 20
"""Lines of progress."""
MEGABYTE = 1 << 20


class _Watch:
    """Prints how the tournament goes, and keeps what it weighs."""

    def __init__(self) -> None:
        self.arena: list[float] = []
        """Megabytes of this process, once in a while."""
        self.others: list[float] = []
        """Megabytes of all processes that descend from it."""
        self.seconds = time.monotonic()

    def __call__(self, now: Progress) -> None:
        if not now.played or now.played % (now.total // SHOWN):
            return
        arena = psutil.Process()
        self.arena.append(arena.memory_info().rss / MEGABYTE)
        self.others.append(sum(map(_resident, arena.children(recursive=True))) / MEGABYTE)
        rate = now.played / (time.monotonic() - self.seconds)
        print(
            f"{now.played:8} games {now.forfeits:6} forfeits {rate:6.0f} games/s"
            f" {self.arena[-1]:8.0f} MB {self.others[-1]:8.0f} MB in other processes",
            flush=True,
        )


def main() -> None:
    """Play, and say what came of it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--games", type=int, default=100_000, help=f"a multiple of {2 * PAIRINGS}")
    parser.add_argument("--workers", type=int, default=system.processors())
    arguments = parser.parse_args()
    if arguments.games < 1000 or arguments.games % (2 * PAIRINGS):
        parser.error(f"--games is a multiple of {2 * PAIRINGS}, and 1000 or more")
    sys.path.insert(0, str(PLUGINS))
    games = arguments.games // PAIRINGS
    settings = TournamentSettings(
        seed=1, games=games, openings=f"random:plies=6:number={games // 2}", rules=DrawRules(ply_cap=40), memory=300
    )
    with TemporaryDirectory() as folder:
        path = Path(folder, "soak.sqlite")
        watch = _Watch()
        with Store.open(path) as store:
            plan = Plan(settings, specs.parse_list("player", PLAYERS))
            run("soak", plan, store, workers=arguments.workers, progress=watch)
        wall = time.monotonic() - watch.seconds
        sys.exit(not _report(path, arguments.games, arguments.workers, wall, watch))


def _report(path: Path, expected: int, workers: int, wall: float, watch: _Watch) -> bool:
    """Print what came of it; whether it is as it should be."""
    with Results(path) as results:
        games = results.games("soak")
        seconds = results.positions("soak", ["seconds"])["seconds"].sum()
    whole = len(games) == expected and not games.duplicated(["pairing", "round"]).any()
    blamed = games["forfeited_by"].value_counts().to_dict()
    quarter = max(len(watch.arena) // 4, 1)
    growth = {
        name: mean(weights[-quarter:]) - mean(weights[quarter : 2 * quarter])
        for name, weights in (("this process", watch.arena), ("the others", watch.others))
    }
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in usage)
    print(f"{len(games)} games on record, each once: {whole}; {path.stat().st_size / MEGABYTE:.0f} MB")
    print(f"forfeits: {blamed}; {games['termination'].value_counts().to_dict()}")
    print(f"memory from the second quarter to the last: {', '.join(f'{k} {v:+.1f} MB' for k, v in growth.items())}")
    print(f"players {seconds:.1f} s, processors {cpu:.1f} s, wall {wall:.1f} s with {workers} workers")
    steady = all(more < expected / 10_000 * 2 + 20 for more in growth.values())
    return whole and set(blamed) <= {"moody"} and steady


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


if __name__ == "__main__":
    main()
