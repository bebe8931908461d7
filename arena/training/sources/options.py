"""Options of learners that have an effect only with some sources of experience."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.plugins.specs import Spec

_PLACES = {"self": "in games against itself", "against": "with --against or --teacher", "from": "with --from"}


def changed(learner: Spec) -> dict[str, Any]:
    """Return the options of a learner that differ from their defaults, with their values."""
    options = learner.registered.options
    return {each.name: value for each in options if (value := learner.options[each.name]) != each.default_value}


def refuse_idle(learner: Spec, place: str) -> None:
    """Raise UsageError if a changed option has no effect in the source ``place``; see :attr:`arena.Learner.idle`."""
    for name in changed(learner):
        if name in learner.registered.cls.idle.get(place, ()):
            raise UsageError(f"{name} of {learner.text} has no effect {_PLACES[place]}; leave it out")
