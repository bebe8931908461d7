"""Checks of learners."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from arena.conformance.check import Failed, Skipped, check
from arena.conformance.learning import advance, difference, episodes, frozen, games_of, plays_itself
from arena.conformance.survey import global_state, seed_globally, survey
from arena.contracts.learner import Learner
from arena.contracts.model import Model
from arena.errors import ArenaError, UsageError
from arena.plugins import registry

if TYPE_CHECKING:
    from arena.conformance.suite import Subject

_POSITIONS = 100


def begun(subject: Subject) -> Learner:
    """Return a new learner after ``begin``, with the global random generators in a fixed state."""
    learner: Learner = subject.spec.create()
    seed_globally(0)
    learner.begin(subject.settings.seed)
    return learner


@check("learner", "it learns, and its metrics are finite numbers")
def metrics(subject: Subject) -> str | None:
    learner = begun(subject)
    games = games_of(learner, subject.settings)
    for name, value in advance(learner, 0, games).items():
        if not isinstance(name, str) or not isfinite(value):
            raise Failed(f"the metric {name!r} is {value!r}: metrics are finite numbers by name")
    return f"{games} games at a time"


@check("learner", "the same seed learns the same", "metrics")
def same_seed(subject: Subject) -> str | None:
    states = []
    for _ in range(2):
        learner = begun(subject)
        advance(learner, 0, games_of(learner, subject.settings))
        states.append(frozen(learner.state()))
    if name := difference(*states):
        raise Failed(f"two learners with one seed differ in {name!r}: let all random numbers follow from the seed")
    return None


@check("learner", "global random generators stay untouched", "same_seed")
def global_random(subject: Subject) -> str | None:
    learner = begun(subject)
    before = global_state()
    advance(learner, 0, games_of(learner, subject.settings))
    if global_state() != before:
        raise Failed("it uses the global generator of random or numpy.random: make a generator from the seed in begin")
    return None


@check("learner", "self_play(a) and then self_play(b) learns as self_play(a + b)", "same_seed")
def in_parts(subject: Subject) -> str | None:
    whole, parts = begun(subject), None
    games = games_of(whole, subject.settings)
    advance(whole, 0, games + whole.step)
    parts = begun(subject)
    advance(parts, 0, games)
    advance(parts, games, parts.step)
    if name := difference(frozen(whole.state()), frozen(parts.state())):
        raise Failed(
            f"after {games} and {whole.step} games {name!r} differs from that after {games + whole.step} games: "
            "let nothing depend on the number of games of a call"
        )
    return None


@check("learner", "a restored learner goes on bit for bit", "same_seed")
def restore(subject: Subject) -> str | None:
    original = begun(subject)
    games = games_of(original, subject.settings)
    advance(original, 0, games)
    state = {name: np.array(array) for name, array in original.state().items()}
    restored = begun(subject)
    restored.restore(state)
    if name := difference(frozen(state), frozen(restored.state())):
        raise Failed(f"restore loses {name!r} of state()")
    states = []
    for learner in (original, restored):
        seed_globally(0)
        advance(learner, games, games)
        states.append(frozen(learner.state()))
    if name := difference(*states):
        raise Failed(f"a restored learner differs in {name!r} after {games} more games: state() must be complete")
    return None


@check("learner", "step is honoured", "metrics")
def step(subject: Subject) -> str | None:
    learner = begun(subject)
    if not isinstance(learner.step, int) or learner.step < 1:
        raise Failed(f"step is {learner.step!r}: it is a whole number, 1 or more")
    if learner.step == 1 or not plays_itself(learner):
        return None
    try:
        learner.self_play(learner.step + 1)
    except UsageError:
        return None
    raise Failed(f"it learns from {learner.step + 1} games, but its step is {learner.step}: call whole_steps(games)")


@check("learner", "given games stay unchanged", "metrics")
def inputs(subject: Subject) -> str | None:
    learner = begun(subject)
    if type(learner).learn_from is Learner.learn_from:
        raise Skipped("it learns only from games against itself")
    given = episodes(0, learner.step)
    before = [episode.boards.copy() for episode in given]
    learner.learn_from(given)
    if not all(np.array_equal(episode.boards, boards) for episode, boards in zip(given, before, strict=True)):
        raise Failed("learn_from changes the boards of a game: copy them")
    return None


@check("learner", "its models are of its kind, and its player plays them", "metrics")
def model(subject: Subject) -> str | None:
    learner = begun(subject)
    made = learner.model()
    if not isinstance(made, Model) or made.kind != learner.kind:
        raise Failed(f"model() returns {made!r}: it must be an arena.Model of kind {learner.kind!r}")
    if Model.stored("again", made.to_bytes()).hash != made.hash:
        raise Failed("the model changes when it is written and read")
    before = made.hash
    advance(learner, 0, games_of(learner, subject.settings))
    if Model(made.kind, made.tensors).hash != before:
        raise Failed("a model changes while the learner learns: give it copies of the arrays")
    try:
        player = registry.load().get("player", learner.plays)
    except ArenaError as error:
        raise Failed(f"plays is {learner.plays!r}: {error}") from None
    options = [option for option in player.options if option.takes_model]
    if len(options) != 1:
        raise Failed(f"{player.name} has {len(options)} options for a model: the player of a learner has one")
    return f"played by {player.name}"


@check("learner", "the learned player chooses legal moves and does not learn", "metrics")
def plays(subject: Subject) -> str | None:
    learner = begun(subject)
    advance(learner, 0, games_of(learner, subject.settings))
    before = frozen(learner.state())
    seen = survey(learner.player, _POSITIONS, subject.settings.seconds, subject.settings.seed)
    if seen.illegal:
        raise Failed(f"{seen.illegal}: choose must return one of game.board.legal_moves")
    if name := difference(before, frozen(learner.state())):
        raise Failed(f"games of the learned player change {name!r} of the learner: give the player a copy")
    return f"{seen.positions} positions"


@check("learner", "the number of threads does not matter", "same_seed")
def threads(subject: Subject) -> str | None:
    one, several = subject.processes
    if one.digest != several.digest:
        raise Failed("it learns something else with 4 threads than with 1: add numbers in a fixed order")
    return None
