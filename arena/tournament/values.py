"""Types, bounds and help texts of settings, and the checking of their values."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from functools import cache
from math import isfinite
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from arena.checkers.rules import DrawRules
from arena.errors import UsageError, bounded, nearest, shown

LARGEST = 2**63 - 1
"""The largest whole number of a setting."""
_WORDS = {list: "a list of texts", tuple: "a list of texts", str: "a text", bool: "true or false"}
_NO_META = Meta()
INSTEAD = {"rounds": "the format sets the number of rounds, for example swiss:rounds=5"}
"""Hints for keys that are not settings."""


def hints(cls: type[Any]) -> Mapping[str, Any]:
    """Return the type hints of a class's fields, including bounds and help texts."""
    return _hints(cls)  # type: ignore[arg-type]  # a class is hashable


@cache
def _hints(cls: Any) -> Mapping[str, Any]:
    return get_type_hints(cls, include_extras=True)


def kinds(hint: Any) -> tuple[list[type[Any]], Meta]:
    """Return the types that a hint allows, without None and type parameters, and its bounds and help text."""
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        allowed, meta = kinds(inner)
        return allowed, next((mark for mark in marks if isinstance(mark, Meta)), meta)
    if get_origin(hint) in (Union, types.UnionType):
        allowed, meta = [], _NO_META
        for part in get_args(hint):
            if part is not types.NoneType:
                inner, own = kinds(part)
                allowed += inner
                meta = meta if own is _NO_META else own
        return allowed, meta
    return [get_origin(hint) or hint], _NO_META


def checked(name: str, hint: Any, value: Any, beside: str = "") -> Any:
    """Convert ``value`` to the type of a hint. Raises UsageError if it does not fit.

    ``beside``: text about other accepted values for the message, for example ``", or false"``.
    """
    allowed, meta = kinds(hint)
    if allowed == [dict]:
        if not isinstance(value, Mapping):
            raise UsageError(f"{name} is a table, not {shown(value)}")
        _, inner = get_args(get_args(hint)[0] if get_origin(hint) is Annotated else hint)
        return {key: checked(key, inner, each) for key, each in value.items()}
    try:
        converted = msgspec.convert(value, hint)
    except msgspec.ValidationError:
        help = f" ({meta.description.rstrip('.')})" if meta.description else ""
        raise UsageError(f"{name} is {_wanted(allowed, meta)}{beside}, not {shown(value)}{help}") from None
    if isinstance(converted, int) and abs(converted) > LARGEST:
        raise UsageError(f"{name} is too large: the largest whole number is {LARGEST}")
    if isinstance(converted, float) and not isfinite(converted):
        raise UsageError(f"{name} is a finite number, not {converted}: leave it out if there is no limit")
    return converted


def key_of(name: str) -> str:
    """The key in a file for the name of a field."""
    return name.strip("_").replace("_", "-")


def values_of(
    cls: type[Any], table: Mapping[str, Any], beside: str = "", others: Collection[str] = ()
) -> dict[str, Any]:
    """The values of a table by the names of the fields of ``cls``, each checked. Raises UsageError.

    ``beside``: what else may stand for a value; ``others``: fields that are not in the table.
    """
    known = {key_of(name): (name, hint) for name, hint in hints(cls).items() if name not in others}
    values = {}
    for key, value in table.items():
        if key not in known:
            hint = f": {INSTEAD[key]}" if key in INSTEAD else f"; {nearest(key, [*known, *others])}"
            raise UsageError(f"there is no {shown(key)}{hint}")
        name, kind = known[key]
        if kind is DrawRules and isinstance(value, dict):  # TOML has no null: false switches a rule off
            rules = {rule: None if each is False else each for rule, each in value.items()}
            values[name] = DrawRules(**values_of(DrawRules, rules, ", or false"))
        else:
            values[name] = checked(key, kind, value, beside)
    return values


def _wanted(allowed: list[type[Any]], meta: Meta) -> str:
    """Return the types and bounds of a value in words."""
    words = [
        bounded(kind, meta.ge, meta.le, meta.gt) if kind in (int, float) else _WORDS.get(kind, "a table")
        for kind in allowed
    ]
    return " or ".join(words)
