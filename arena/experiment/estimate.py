"""Estimates how long an experiment takes, from a few timed games of each kind."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.faults import blamed
from arena.plugins import specs
from arena.training import training
from arena.training.play import played

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.learner import Learner
    from arena.contracts.player import Player
    from arena.experiment.plan import ExperimentPlan
    from arena.training.plan import RunPlan

SAMPLE = 0.5
"""Seconds for which each kind of game is timed."""


def seconds(plan: ExperimentPlan, workers: int) -> float:
    """Return about how many seconds an experiment takes with this number of processes on an idle machine.

    The timed games use untrained learners. Trained learners may play longer games, so the real time may be twice as
    long.
    """
    total = 0.0
    players: dict[str, Callable[[], Player]] = {}
    runs = Counter(run.label for run in (*plan.sweep_runs, *plan.runs))
    learners = {label: training.checked_learner(run) for label, run in plan.plans.items()}
    for label, learner in learners.items():
        run = plan.plans[label]
        with blamed(f"the learner {run.learner.text}"):
            learner.begin(run.seed)
            total += runs[label] * run.games * _seconds_per_game(partial(_learn, run, learner), learner.step)
            players[label] = _maker(learner)
            measuring_games = runs[label] * len(plan.checkpoints(label)) * plan.tournament.games
            for opponent in plan.opponents:
                total += measuring_games * _seconds_per_game(partial(_play, players[label], opponent.create))
    final_games = len(plan.settings.training_seeds) * plan.settings.measuring.final_games
    if final_games:
        for first, second in combinations(plan.settings.labels, 2):
            texts = [plan.plans[label].learner.text for label in (first, second)]
            with blamed(f"a game between the learners {' and '.join(texts)}"):
                play = partial(_play, players[first], players[second])
                total += final_games * _seconds_per_game(play)
    return total / workers


def _maker(learner: Learner) -> Callable[[], Player]:
    """Return a function that makes players of what the learner has learned so far.

    As in the games of an experiment, they share one model. A learner may take long to make it.
    """
    try:
        create: Callable[[], Player] = specs.describe("player", learner.player()).create
    except UsageError:  # the player is not registered
        return learner.player
    return create


def _play(first: Callable[[], Player], second: Callable[[], Player], games: int) -> None:
    for number in range(games):
        played((first(), second()), number, number)


def _learn(run: RunPlan, learner: Learner, games: int) -> None:
    if run.source is None:
        learner.self_play(games)
    else:
        learner.learn_from(run.source.episodes(learner, 0, games))


def _seconds_per_game(play: Callable[[int], object], step: int = 1) -> float:
    """Return the seconds that ``play`` takes for one game.

    Each call plays ``step`` games. The first call is not timed, because it may compile kernels.
    """
    play(step)
    games, started = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - started) < SAMPLE:
        play(step)
        games += step
    return elapsed / games
