"""``python -m benchmarks.scale`` makes a large database, and prints what it takes to read its tables.

The database has an experiment: four learners with ten training seeds and five checkpoints each, which played against
five opponents. Its games are legal: a few random games, recorded again and again under new ids. Every question is asked
in a process of its own, so that its peak memory is known.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

import arena
from arena.checkers.notation import move_text
from arena.contracts.record import GameRecord, PlyInfo
from arena.ratings.davidson import Davidson
from arena.report import page
from arena.store import PlayerIdentity, Store
from arena.store.runs import LearnerIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from arena.store.experiments import StoredExperiment

LABELS = ("lms", "td", "qmodel", "tdleaf")
SEEDS = range(1, 11)
CHECKPOINTS = (100, 200, 300, 400, 500)
OPPONENTS = ("random", "m1", "m2", "m4", "minimax")
NAME = "scale"
_POOL = 200
"""Different games."""
_VERSION = ("checkers-arena", "0")
Recorded = tuple[str, bytes, str, str, bytes]
"""Moves, boards, result, termination and seconds of a game."""


def _report(results: arena.Results) -> None:
    from arena.cli.report import report

    with redirect_stdout(StringIO()):
        report(results, NAME)


QUESTIONS: dict[str, Callable[[arena.Results], object]] = {
    "standings": lambda results: results.standings(NAME),
    "head to head": lambda results: results.head_to_head(NAME),
    "superiority": lambda results: results.superiority(NAME),
    "ladder": lambda results: results.ladder(NAME),
    "learning curve": lambda results: results.learning_curve(NAME),
    "aggregate": lambda results: results.aggregate(NAME),
    "learners": lambda results: results.learners(NAME),
    "report": _report,
    "page": lambda results: page.html(results, NAME),
    "accuracy": lambda results: results.accuracy(NAME),
}


def main() -> None:
    """Make the database, unless it exists, and print a line for each question."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000, help="number of games; default: 1,000,000")
    parser.add_argument("--db", type=Path, help="file of the database, which is kept; default: a temporary file")
    parser.add_argument("--ask", choices=QUESTIONS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.ask:
        _answer(arguments.db, arguments.ask)
        return
    with TemporaryDirectory() as folder:
        path = arguments.db or Path(folder, "scale.sqlite")
        if not path.exists():
            started = time.process_time()
            make(path, arguments.games)
            print(f"made {path} in {time.process_time() - started:.0f} seconds of processor time")
        print(f"{path.stat().st_size / 1e6:.0f} megabytes\n")
        print(f"{'question':16} {'processor seconds':>18} {'peak megabytes':>15}")
        for question in QUESTIONS:
            seconds, megabytes = measure(path, question)
            print(f"{question:16} {seconds:18.1f} {megabytes:15.0f}", flush=True)


def measure(path: Path, question: str) -> tuple[float, float]:
    """Return the processor seconds and the peak memory in megabytes of a new process that answers a question."""
    command = [sys.executable, "-m", "benchmarks.scale", "--db", str(path), "--ask", question]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, megabytes = json.loads(answer)
    return seconds, megabytes


def _answer(path: Path, question: str) -> None:
    with arena.Results(path) as results:
        results.tournaments()  # imports what every question needs
        started = time.process_time()
        QUESTIONS[question](results)
        seconds = time.process_time() - started
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3]))


def make(path: Path, games: int) -> None:
    """Make a database with an experiment of at least this number of games."""
    pairings = len(LABELS) * len(SEEDS) * len(CHECKPOINTS) * len(OPPONENTS)
    rounds = max(2, -(-games // pairings // 2) * 2)
    with Store.open(path) as store:
        opponents = [PlayerIdentity(name, name, *_VERSION) for name in OPPONENTS]
        states = [{"spec": name} for name in OPPONENTS]
        measuring = {"opponents": list(OPPONENTS), "games": rounds}
        settings = {"games": rounds, "players": states}
        experiment = store.create_experiment(
            NAME, {"seeds": list(SEEDS), "measuring": measuring}, 1, settings, opponents, planned=pairings * rounds
        )
        players = [player for label in LABELS for seed in SEEDS for player in _train(store, experiment, label, seed)]
        names = [_pairing(player, opponent) for player in players for opponent in OPPONENTS]
        store.schedule(experiment.tournament_id, names, rounds)
        pool = cycle(_pool())
        chance = random.Random(1)
        with store.recorder(experiment.tournament_id) as recorder:
            for player in players:
                for opponent in OPPONENTS:
                    for number in range(rounds):
                        recorder.add(_record(next(pool), player, opponent, number, chance))
        table = Davidson().rate([*OPPONENTS, *players], store.rated_games(experiment.tournament_id))
        store.save_ratings(experiment.tournament_id, "davidson", table, 0)


def _train(store: Store, experiment: StoredExperiment, label: str, seed: int) -> Iterator[str]:
    """Record a run with its checkpoints and their players; yield the specs of these."""
    learner = LearnerIdentity(label, *_VERSION)
    settings = {"checkpoints": list(CHECKPOINTS)}
    place = (experiment.id, label)
    run = store.runs.create(f"{NAME}.{label}.{seed}", learner, seed, CHECKPOINTS[-1], settings, place)
    recorder = store.runs.recorder(run.id)
    new: list[Any] = []
    for games in CHECKPOINTS:
        model = arena.Model(label, {"numbers": np.array([seed, games])})
        recorder.checkpoint(games, model, {}, None, {}, games / 10, games / 10)
        player = PlayerIdentity(f"@{model.hash}", label, *_VERSION, weights=model.hash)
        new.append((run.id, games, player, {"spec": player.spec}))
    yield from store.add_experiment_players(experiment, new)


def _pairing(*players: str) -> str:
    return " vs ".join(sorted(players))


def _pool() -> list[Recorded]:
    """Return random games."""
    chance = random.Random(0)
    games = []
    for _ in range(_POOL):
        game = arena.Game()
        while game.outcome is None:
            game.play(chance.choice(list(game.board.legal_moves)))
        boards = game.boards
        masks = np.array([board[:3] for board in boards], dtype="<u4")
        texts = " ".join(map(move_text, boards, game.moves))
        seconds = np.full(len(game.moves), 0.01, "<f4").tobytes()
        games.append((texts, masks.tobytes(), game.outcome.result, str(game.outcome.termination), seconds))
    return games


def _record(
    game: tuple[str, bytes, str, str, bytes], player: str, opponent: str, number: int, chance: random.Random
) -> GameRecord:
    moves, boards, result, termination, seconds = game
    black, white = (player, opponent) if number % 2 == 0 else (opponent, player)
    return GameRecord(
        pairing=_pairing(player, opponent),
        round=number,
        seed=chance.getrandbits(63),
        opening="",
        black=black,
        white=white,
        first="black",
        boards=boards,
        movetext=moves,
        result=result,
        termination=termination,
        ply_info=PlyInfo(seconds=seconds),
    )


if __name__ == "__main__":
    main()
