"""What tournaments and training runs are called where nobody says it, or where the name is taken."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import count

Naming = Callable[[Collection[str]], str]
"""Makes a name, given those that are taken; given none, its first choice."""


def fixed(name: str) -> Naming:
    """That name, taken or not."""
    return lambda _: name


def numbered(base: str) -> Naming:
    """``base``, or ``base-2``, ``base-3``, ...: the first that is free."""

    def name(taken: Collection[str]) -> str:
        names = (base if number == 1 else f"{base}-{number}" for number in count(1))
        return next(each for each in names if each not in taken)

    return name


def counted(taken: Collection[str]) -> str:
    """``t`` and a number, from that of the names on."""
    return next(each for number in count(len(taken) + 1) if (each := f"t{number}") not in taken)
