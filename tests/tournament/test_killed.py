"""The arena is killed many times, at many kinds of moments. The final database is the same as without kills.

The games are real, but a stand-in for the worker pool plays them in the arena's own process. So each attempt is a fork
that lasts milliseconds and is killed at a chosen moment. ``test_runner.py`` kills the arena with the real pool, and
workers too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from databases import contents

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks")

SCRIPT = """
import json, random, sqlite3, sys
from collections import Counter
from contextlib import closing, contextmanager, nullcontext
order = json.loads(sys.argv[1])
sys.path[:0] = order["path"]
import mortal
from arena.referee import match
from arena.plugins import specs
from arena.checkers.game import DrawRules
from arena.errors import StoreError
from arena.store import Store, recorder, store
from arena.store.recorder import Recorder
from arena.tournament import runner
from arena.tournament.plan import Plan
from arena.tournament.settings import TournamentSettings

class Source:
    "Plays in this process; of two games the second ends first."

    @contextmanager
    def games(self, tasks, workers, **limits):
        yield self.records(iter(tasks))

    def records(self, tasks):
        for one in tasks:
            for task in (next(tasks, None), one):
                if task is not None:
                    yield mortal.during("play", play)(task)

def play(task):
    mortal.moment()
    record = match.play(task)
    mortal.moment()
    return record

recorder.BATCH_GAMES = 3
runner.Launcher = lambda say: nullcontext(Source())
runner.rate = mortal.during("rate", runner.rate)
Recorder.flush = mortal.during("commit", Recorder.flush)
Store.create_tournament = mortal.during("entry", Store.create_tournament)
store.Database = mortal.during("opening", store.Database)
changes = order["changes"]
settings = TournamentSettings(seed=3, rules=DrawRules(ply_cap=60), **changes)
players = specs.parse_list("player", order["players"])

def work(db):
    with Store.open(db) as store:
        try:
            runner.resume("test", store, workers=1)
        except StoreError as error:
            if "holds no tournament" not in str(error):
                raise
            runner.run("test", Plan(settings, players), store, workers=1)

def look(db):
    "Count the recorded rows, and check that none is incomplete."
    with closing(sqlite3.connect(db)) as connection:
        if connection.execute("select count(*) from sqlite_master").fetchone() == (0,):
            return [0, 0, 0]
        assert connection.execute("pragma integrity_check").fetchall() == [("ok",)]
        tournaments, seats, *counts = [
            connection.execute(f"select count(*) from {table}").fetchone()[0]
            for table in ("tournaments", "tournament_players", "ratings", "games")
        ]
    assert seats == tournaments * len(players)
    assert counts[0] in (0, seats)
    return [tournaments, *counts]

killed, before = Counter(), [0, 0, 0]

def life(phase, moments, seconds=0.0):
    global before
    killed[phase] += not mortal.live(lambda: work(order["db"]), phase, moments, seconds)
    now = look(order["db"])
    assert all(one <= other for one, other in zip(before, now, strict=True)), (before, now)
    before = now

work(order["whole"])
chance = random.Random(order["seed"])
for _ in range(4):
    life("opening", chance.randint(1, 50))
for moments in range(1, 17, 3):
    life("entry", moments)
later = [("opening", 4)] * 3 + [("start", 12)] * 5 + [("play", 8)] * 12 + [("commit", 12)] * 18
chance.shuffle(later)
for phase, most in later:
    life(phase, chance.randint(1, most), chance.choice([0.0, chance.uniform(1e-5, 2e-3)]))
work(order["db"])
before = look(order["db"])
for moments in range(1, 17):
    life("rate", moments)
print(json.dumps(killed))
"""


@pytest.mark.parametrize(
    ("players", "changes"),
    [
        pytest.param("random,m1,minimax:depth=1", {"games": 40}, id="round-robin"),
        pytest.param(
            "random,m1,minimax:depth=1,lms", {"games": 20, "format": "swiss"}, id="swiss", marks=pytest.mark.long
        ),
        pytest.param(
            "random,m1,minimax:depth=1,lms", {"games": 40, "format": "knockout"}, id="knockout", marks=pytest.mark.long
        ),
        pytest.param(
            "m1,random", {"games": 400, "openings": "11man", "sprt": "0,20"}, id="sprt", marks=pytest.mark.long
        ),
    ],
)
def test_a_tournament_killed_64_times_records_the_same_games(
    tmp_path: Path, players: str, changes: dict[str, Any]
) -> None:
    whole, db = tmp_path / "whole.sqlite", tmp_path / "killed.sqlite"
    order = {
        **{"path": sys.path, "whole": str(whole), "db": str(db), "players": players},
        **{"changes": changes, "seed": 1},
    }
    command = [sys.executable, "-c", SCRIPT, json.dumps(order)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"opening": 7, "entry": 6, "start": 5, "play": 12, "commit": 18, "rate": 16}
    assert contents(db) == contents(whole)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["killed.sqlite", "whole.sqlite"]
