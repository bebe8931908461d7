"""Lines that warn a person of draws by rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.checkers.game import Game

DRAW_NEAR = 20
"""Number of plies before a draw by the rule of quiet plies from which on a line warns of it."""


def draw_notices(game: Game) -> Iterator[str]:
    """Yield a line for each draw by rule that is near."""
    if game.rules.quiet_plies is not None and game.rules.quiet_plies - game.quiet_plies <= DRAW_NEAR:
        yield f"draw after {game.rules.quiet_plies - game.quiet_plies} more plies without progress"
    if game.repetitions > 1:
        yield f"this position occurs for the {game.repetitions}. time"
