"""A game as it stands in a PDN file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.checkers.board import Board
    from arena.checkers.move import Move

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""Black won, White won, a draw, unknown."""
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)")


@dataclass(frozen=True, slots=True)
class PDNGame:
    """A game whose every move is legal; no rule of draws ends it early."""

    boards: tuple[Board, ...]
    """The positions, the first and the last included: plies + 1."""
    moves: tuple[Move, ...]
    result: str = "*"
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2``, ``*`` unknown."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Name -> text, as they stand in the file and in its order."""
    comments: tuple[str, ...] = ()
    """For each board what is said when it is reached, or an empty text; nothing at all where nothing is said."""
    marks: tuple[str, ...] = ()
    """For each move ``!`` (good), ``?`` (bad), ``!!``, ``??``, ``!?``, ``?!`` or an empty text; nothing at all where
    nothing is marked."""
    file: str = ""
    number: int = 0
    """Place in the file, from 1; bad games count."""
    line: int = 0
    """Where it begins, from 1."""

    @property
    def values(self) -> tuple[float | None, ...]:
        """For each board the number that its comment is, in the annotator's units; None where it is no number."""
        return tuple(map(number_in, self.comments))


def number_in(comment: str) -> float | None:
    """The number that a comment is; None if it says something else, or more than a float can hold."""
    number = float(comment) if _NUMBER.fullmatch(comment) else inf
    return number if isfinite(number) else None
