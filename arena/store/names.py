"""Names of tournaments and training runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import count

from arena.errors import StoreError, shown

Naming = Callable[[Collection[str]], str]
"""A function that chooses a name, given the existing names."""


def fixed(name: str) -> Naming:
    """Return a naming that always chooses ``name``, even if it exists."""
    return lambda _: name


def numbered(base: str) -> Naming:
    """Return a naming that chooses the first of ``base``, ``base-2``, ``base-3``, ... that does not exist."""

    def name(taken: Collection[str]) -> str:
        names = (base if number == 1 else f"{base}-{number}" for number in count(1))
        return next(each for each in names if each not in taken)

    return name


def counted(taken: Collection[str]) -> str:
    """Choose ``t`` with a number: one more than the number of existing names, or the next that does not exist."""
    return next(each for number in count(len(taken) + 1) if (each := f"t{number}") not in taken)


def check(name: str) -> None:
    """Raise StoreError if a tournament or experiment cannot have this name."""
    if not name or name in ("last", "all") or name.isdecimal() or not is_text(name):
        raise StoreError(
            f"a tournament cannot be named {shown(name)}: a number is read as an id; 'last' and 'all' have a meaning"
        )


def is_text(name: str) -> bool:
    """Whether a database can hold the name. Undecodable bytes of a command line and NUL cannot be stored."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in name
