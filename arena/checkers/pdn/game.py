"""A game of a PDN file."""

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
    """A game whose moves are all legal. Draw rules do not apply to it."""

    boards: tuple[Board, ...]
    """Every position, from the first to the last: plies + 1."""
    moves: tuple[Move, ...]
    result: str = "*"
    """``1-0`` Black won, ``0-1`` White won, ``1/2-1/2`` a draw, ``*`` unknown."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Texts by tag name, in the order of the file."""
    comments: tuple[str, ...] = ()
    """The comment on each board, or an empty string; an empty tuple if the game has no comment."""
    marks: tuple[str, ...] = ()
    """The mark of each move: ``!`` (good), ``?`` (bad), ``!!``, ``??``, ``!?``, ``?!`` or an empty string. An empty
    tuple if no move is marked."""
    file: str = ""
    number: int = 0
    """Number of the game in the file, from 1; games that cannot be read count too."""
    line: int = 0
    """First line of the game, from 1."""

    @property
    def values(self) -> tuple[float | None, ...]:
        """The comment on each board as a number, in the annotator's units; None if it is not a number."""
        return tuple(map(number_in, self.comments))


def number_in(comment: str) -> float | None:
    """Return the comment as a number; None if it is not a number or exceeds the range of a float."""
    number = float(comment) if _NUMBER.fullmatch(comment) else inf
    return number if isfinite(number) else None
