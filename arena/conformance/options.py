"""Checks of options, for components of all kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arena.conformance.check import Failed, check
from arena.contracts.model import Model
from arena.errors import ArenaError
from arena.plugins import specs
from arena.plugins.specs import Spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.conformance.suite import Subject
    from arena.plugins.options import Option


@check("any", "options survive being written and read, and the constructor stores them")
def options(subject: Subject) -> str | None:
    """Check the spec itself, and specs with other values of each option."""
    _check(subject, subject.spec)
    number = 1
    for option in subject.spec.registered.options:
        for value in _values(option):
            try:
                spec = specs.parse(
                    subject.kind,
                    f"{subject.spec.name}{_others(subject, option)}:{option.name}={value}",
                    resolver=subject.resolver,
                )
            except ArenaError:
                continue  # not a valid value
            _check(subject, spec)
            number += 1
    return f"{number} specs"


def _check(subject: Subject, spec: Spec) -> None:
    again = specs.parse(subject.kind, spec.text, resolver=subject.resolver)
    if again.text != spec.text or any(_differ(again.options[name], spec.options[name]) for name in spec.options):
        raise Failed(f"the spec {spec.text!r} is read as {again.text!r}")
    instance = spec.create()
    for option in spec.registered.options:
        wanted = spec.options[option.name]
        if not hasattr(instance, option.parameter):
            raise Failed(f"the constructor does not store an option: add self.{option.parameter} = {option.parameter}")
        stored = getattr(instance, option.parameter)
        if isinstance(wanted, Spec):
            if type(stored) is not wanted.registered.cls:
                raise Failed(f"the constructor replaces its option {option.name!r}: store it unchanged")
        elif _differ(stored, wanted):
            raise Failed(
                f"the constructor changes its option {option.name!r} from {wanted!r} to {stored!r}: store it "
                "unchanged, and convert it when it is used"
            )


def _differ(one: Any, other: Any) -> bool:
    if isinstance(one, Model) and isinstance(other, Model):
        return one.hash != other.hash
    return type(one) is not type(other) or bool(one != other)


def _others(subject: Subject, option: Option) -> str:
    """Return the text of the options of the subject's spec, except one."""
    _, settings = specs.settings_of(subject.spec.text)
    return "".join(f":{each}" for each in settings if each.partition("=")[0] != option.name)


def _values(option: Option) -> Iterator[str]:
    """Yield texts that may be values of an option, besides its default."""
    default = option.default_value
    if isinstance(default, (int, float)) and not isinstance(default, bool):
        yield from (str(type(default)(value)) for value in (default + 1, default - 1, default * 2))
    elif isinstance(default, str):
        yield f"{default}x"
    yield from option.annotation.split("|")
