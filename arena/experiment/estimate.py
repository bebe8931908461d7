"""About how long an experiment takes, from a few games of each kind."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from arena.faults import blamed
from arena.training import training
from arena.training.play import played

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.contracts.learner import Learner
    from arena.experiment.plan import ExperimentPlan
    from arena.plugins.specs import Spec
    from arena.training.plan import RunPlan

SAMPLE = 0.5
"""Seconds of each kind of game that are timed."""


def seconds(plan: ExperimentPlan, workers: int) -> float:
    """Return about how many seconds an experiment takes with this number of processes on an idle machine.

    Players that have learned little play the games that are timed, so an experiment may take twice as long.
    """
    total = 0.0
    seeds = Counter(run.label for run in (*plan.sweep_runs, *plan.runs))
    for label, run in plan.plans.items():
        learner = training.checked_learner(run)
        with blamed(f"the learner {run.learner.text}"):
            learner.begin(run.seed)
            total += seeds[label] * run.games * _seconds_a_game(partial(_learn, run, learner), learner.step)
            measuring_games = seeds[label] * len(plan.checkpoints(label)) * plan.tournament.games
            for opponent in plan.opponents:
                total += measuring_games * _seconds_a_game(partial(_measure, learner, opponent), 1)
    return total / workers


def _measure(learner: Learner, opponent: Spec, games: int) -> None:
    for number in range(games):
        played((learner.player(), opponent.create()), number, number)


def _learn(run: RunPlan, learner: Learner, games: int) -> None:
    if run.source is None:
        learner.self_play(games)
    else:
        learner.learn_from(run.source.episodes(learner, 0, games))


def _seconds_a_game(play: Callable[[int], object], step: int) -> float:
    """The time that ``play`` takes for a game; it is called with multiples of ``step``. The first call is not timed:
    it may compile."""
    play(step)
    games, started = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - started) < SAMPLE:
        play(step)
        games += step
    return elapsed / games
