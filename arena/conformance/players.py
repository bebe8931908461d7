"""Checks of players."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from arena.checkers.game import Game, Termination
from arena.checkers.move import SIDES
from arena.conformance.check import Failed, Skipped, check
from arena.conformance.survey import Survey, seed_globally, survey
from arena.conformance.trial import alone

if TYPE_CHECKING:
    from arena.checkers.move import Move
    from arena.conformance.check import Settings
    from arena.conformance.suite import Subject
    from arena.plugins.specs import Spec

_GAMES = 2
"""Number of games that are played twice from the same seed."""


def surveyed(spec: Spec, settings: Settings) -> Survey:
    """Return what is seen of the choices of a player in many positions."""
    return survey(spec.create, settings.positions, settings.seconds, settings.seed)


@check("player", "moves stay within the limits of time and memory")
def time_and_memory(subject: Subject) -> str | None:
    for termination, reason in subject.trial.forfeits():
        if termination in (Termination.TIMEOUT, Termination.MEMORY):
            raise Failed(
                f"{_last(reason)}: the limits are {subject.settings.move_timeout:g} s and {subject.settings.memory} MB"
            )
    return f"slowest move {1000 * subject.trial.slowest:.3g} ms"


@check("player", "all choices are legal moves")
def legal_moves(subject: Subject) -> str | None:
    if outside := subject.trial.ended_from_outside:
        raise Skipped(f"its process ended by {outside[0]}")
    seen = subject.survey
    if seen.illegal:
        raise Failed(f"{seen.illegal}: choose must return one of game.board.legal_moves")
    return f"{seen.positions} positions, {1000 * seen.seconds / max(seen.positions, 1):.3g} ms a move"


@check("player", "the same seed gives the same game", "legal_moves")
def same_seed(subject: Subject) -> str | None:
    for number in range(_GAMES):
        seed = subject.settings.seed + number
        seconds = subject.settings.seconds / (2 * _GAMES)
        games = [_game(subject.spec, seed, seconds) for _ in range(2)]
        for ply, (one, other) in enumerate(zip(*games, strict=False), 1):
            if one != other:
                raise Failed(
                    f"two games from one seed differ at ply {ply} ({one}, {other}): draw random numbers from "
                    "game.random, and keep nothing from one game to the next"
                )
    return None


@check("player", "global random generators stay untouched", "legal_moves")
def global_random(subject: Subject) -> str | None:
    if subject.survey.unseeded:
        raise Failed(
            f"{subject.survey.unseeded}, it uses the global generator of random or numpy.random: use game.random"
        )
    return None


@check("player", "the given game stays unchanged", "legal_moves")
def inputs(subject: Subject) -> str | None:
    if subject.survey.changed:
        raise Failed(f"{subject.survey.changed}, it changes the game: play on game.copy(), or undo each move")
    return None


@check("player", "reported lines are legal and begin with the choice", "legal_moves")
def reports(subject: Subject) -> str | None:
    if subject.survey.report:
        raise Failed(f"{subject.survey.report}: pv is the expected line, from the chosen move on")
    return None


@check("player", "it plays in a forked process")
def fork(subject: Subject) -> str | None:
    for termination, reason in subject.trial.forfeits():
        if termination is Termination.CRASH:
            raise Failed(f"{_last(reason)}: start threads and open files in the constructor, not at import")
        if termination in (Termination.TIMEOUT, Termination.MEMORY):
            raise Skipped("it exceeds its limits of time and memory")
        if subject.result("legal_moves").status == "failed":
            raise Skipped("legal_moves failed")
        raise Failed(f"in a forked process, {_last(reason)}: open files and start threads in the constructor")
    return None


@check("player", "it plays in a new interpreter", "time_and_memory", "legal_moves", "fork")
def isolated(subject: Subject) -> str | None:
    if reason := alone(subject.spec, subject.settings):
        raise Failed(f"in a new interpreter, {_last(reason)}: use nothing of the process that imported it")
    return None


@check("any", "compiled functions are cached")
def kernels(subject: Subject) -> str | None:
    uncached = subject.processes[0].uncached if subject.kind == "learner" else subject.trial.uncached
    if uncached:
        raise Failed(f"{uncached[0]}, or with @arena.kernel")
    return None


def _game(spec: Spec, seed: int, seconds: float) -> list[Move]:
    """Return the moves of a player's game against itself, up to a time limit."""
    deadline = time.monotonic() + seconds
    seed_globally(seed)
    game, random = Game(), [np.random.default_rng((seed, side)) for side in SIDES]
    players = [spec.create() for _ in SIDES]
    for side in SIDES:
        players[side].start(game.copy(random[side]))
    while game.outcome is None and time.monotonic() < deadline:
        game.play(players[game.side].choose(game.copy(random[game.side])))
    return list(game.moves)


def _last(reason: str) -> str:
    """Return the last line of a reason, which is the error of a traceback."""
    return reason.strip().rpartition("\n")[2]
