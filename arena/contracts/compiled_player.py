"""The description of a player for compiled games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.contracts.evaluator import Kernel


@dataclass(frozen=True, slots=True)
class CompiledPlayer:
    """A player of the compiled games of :class:`arena.search.selfplay.Games`."""

    kernel: Kernel | None
    """Evaluator of the search; None for a player that only plays random moves."""
    depth: int = 1
    """Search depth in plies, at least 1."""
    quiescence: bool = False
    """Whether the search continues below the depth while there are captures."""
    explore: float = 0.0
    """Share of random moves, 0 to 1. All legal moves are equally likely."""
    temperature: float = 0.0
    """Temperature of the choice of a move, in the evaluator's units. If it is above 0, the probability of a move is
    proportional to exp(value / temperature) (softmax). At 0 the best move is played."""


RANDOM_MOVES = CompiledPlayer(None, explore=1.0)
"""A player that plays random moves."""
