"""Options that concern training games either change what is learned or are declared idle."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

import arena
from arena.plugins import registry, specs
from arena.training.play import played
from arena.training.sources import Opponents

GAMES = 8
OTHERS = {
    "depth": "2",
    "discount": "0.5",
    "explore": "0.6",
    "novelty": "3",
    "random_plies": "9",
    "rate": "0.07",
    "l2": "7",
    "temperature": "2",
    "lambda": "0.3",
    "update": "move",
}
"""Values that differ from the default of every learner."""
LEARNERS = {name: name for name in ("lms", "td", "regression", "qmetrics", "tuning")} | {"qmodel": "qmodel:data=games"}
CASES = [
    (name, place, option.name)
    for name in LEARNERS
    for place in ("self", "against", "from")
    for option in registry.load().get("learner", name).options
    if option.name in OTHERS
]


@cache
def recorded() -> list[arena.Episode]:
    players = [specs.parse("player", name).create for name in ("m2", "m1")]
    games = [played([make() for make in players], 1, number, random_plies=6) for number in range(GAMES)]
    return [replace(game, values=None, explored=None, leaves=None) for game in games]


@cache
def learned(text: str, place: str) -> str:
    """Hash of the model of a learner. The spec may be one that a run would refuse."""
    spec = specs.parse("learner", text)
    learner: arena.Learner = spec.create()
    learner.begin(1)
    if place == "self":
        learner.self_play(learner.whole_steps(None, GAMES))
    elif place == "from":
        learner.learn_from(recorded())
    else:
        exploration = {name: spec.options[name] for name in ("explore", "random_plies") if f"{name}=" in text}
        source = Opponents("m1", 1, **exploration)
        for number in range(GAMES):
            learner.learn_from(source.episodes(learner, number, 1))
    return learner.model().hash


def test_the_cases_include_every_learner_that_learns_from_games() -> None:
    studying = {
        item.name for item in registry.load().all("learner") if item.cls.learn_from is not arena.Learner.learn_from
    }
    # explore of qboard has an effect in its first stage, which plays its own games.
    assert studying - {"qboard"} == LEARNERS.keys()


@pytest.mark.parametrize(("name", "place", "option"), CASES)
def test_options_have_an_effect_unless_they_are_idle(name: str, place: str, option: str) -> None:
    text = LEARNERS[name]
    idle = option in registry.load().get("learner", name).cls.idle.get(place, ())
    assert (learned(text, place) == learned(f"{text}:{option}={OTHERS[option]}", place)) == idle
