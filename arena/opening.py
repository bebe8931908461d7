"""The contract of an opening book."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Opening:
    """Moves from a position that both players of a pair of games are given."""

    name: str
    moves: tuple[str, ...] = ()
    """PDN move text of each ply, from ``fen``."""
    fen: str | None = None
    """Position to start from; None for the usual start."""


class OpeningBook(ABC):
    """A finite set of openings. Options come from the constructor's signature."""

    @abstractmethod
    def openings(self) -> Sequence[Opening]:
        """All openings, in a fixed order."""
