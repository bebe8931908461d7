"""Draws that a person offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DRAW_PLIES = 40
"""Number of plies from which on the opponent may accept a draw."""
DRAW_SCORES = 2
"""Number of the opponent's last scores that must not be above 0, so that it accepts a draw."""


def accepts_draw(ply: int, scores: Sequence[float | None]) -> bool:
    """Whether the opponent accepts a draw. ``scores``: what it reported for each of its moves."""
    last = [score for score in scores[-DRAW_SCORES:] if score is not None]
    return ply >= DRAW_PLIES and len(last) == DRAW_SCORES and max(last) <= 0
