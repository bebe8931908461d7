"""A player as compiled games know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.contracts.evaluator import Kernel


@dataclass(frozen=True, slots=True)
class CompiledPlayer:
    """What plays in :class:`arena.search.selfplay.Games`."""

    kernel: Kernel | None
    """What values positions; None for a player that only plays random moves."""
    depth: int = 1
    """Plies, 1 or more."""
    quiescence: bool = False
    """Whether the search goes on below the depth while there are captures."""
    explore: float = 0.0
    """Share of the moves that are random, each legal move as likely as the others."""
    temperature: float = 0.0
    """Above 0 every move is drawn with a probability in proportion to exp(value / temperature), in the evaluator's
    units (softmax); 0: the best move."""


RANDOM_MOVES = CompiledPlayer(None, explore=1.0)
"""The player of random moves."""
