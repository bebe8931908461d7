"""``python -m benchmarks.soak`` plays a long tournament of short games with a faulty player.

Five players play each other. The faulty one fails in 4 % of its games: it raises an exception, makes an illegal move,
exits or crashes. In another 1 % it does not free memory. The program fails if memory grows with the number of games, if
a game is not recorded exactly once, or if another player forfeits a game. It prints the time that players and
processes took.
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
from arena.plugins.compiling import processors
from arena.store import Store
from arena.tournament.plan import Plan
from arena.tournament.runner import run
from arena.tournament.settings import TournamentSettings

if TYPE_CHECKING:
    from arena.tournament.tally import Progress

PLUGINS = Path(__file__).parent.parent / "tests/tournament/plugins"
PLAYERS = "random,m1,steady,reckless,moody"
PAIRINGS = 10
PROGRESS_LINES = 20
MEGABYTE = 1 << 20


class _Watch:
    """Prints the progress of the tournament, and keeps the memory in use."""

    def __init__(self) -> None:
        self.arena: list[float] = []
        """Megabytes of this process at each line of progress."""
        self.others: list[float] = []
        """Megabytes of all descendants of this process at each line of progress."""
        self.seconds = time.monotonic()

    def __call__(self, now: Progress) -> None:
        if not now.played or now.played % (now.total // PROGRESS_LINES):
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
    """Play the tournament, print a report, and exit with 1 if a check fails."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--games", type=int, default=100_000, help=f"number of games, a multiple of {2 * PAIRINGS}")
    parser.add_argument("--workers", type=int, default=processors(), help="number of workers")
    arguments = parser.parse_args()
    if arguments.games < 1000 or arguments.games % (2 * PAIRINGS):
        parser.error(f"--games takes a multiple of {2 * PAIRINGS}, 1000 or more")
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
    """Print the report. Returns whether all checks pass."""
    with Results(path) as results:
        games = results.games("soak")
        seconds = results.positions("soak", ["seconds"])["seconds"].sum()
    complete = len(games) == expected and not games.duplicated(["pairing", "round"]).any()
    forfeits = games["forfeited_by"].value_counts().to_dict()
    quarter = max(len(watch.arena) // 4, 1)
    growth = {
        name: mean(megabytes[-quarter:]) - mean(megabytes[quarter : 2 * quarter])
        for name, megabytes in (("this process", watch.arena), ("its descendants", watch.others))
    }
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in usage)
    print(f"{len(games)} games on record, each once: {complete}; database: {path.stat().st_size / MEGABYTE:.0f} MB")
    print(f"forfeits: {forfeits}; terminations: {games['termination'].value_counts().to_dict()}")
    print(f"growth of memory, second to last quarter: {', '.join(f'{k} {v:+.1f} MB' for k, v in growth.items())}")
    print(f"time of players {seconds:.1f} s, processors {cpu:.1f} s, wall clock {wall:.1f} s, {workers} workers")
    steady = all(more < expected / 10_000 * 2 + 20 for more in growth.values())
    return complete and set(forfeits) <= {"moody"} and steady


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


if __name__ == "__main__":
    main()
