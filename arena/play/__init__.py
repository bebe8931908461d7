"""Games between a person and a player.

:class:`~arena.play.session.Session` is one such game: the board, the clocks, hints, undo, saving and recording. It does
not know how the game is shown, so a terminal and a web page can use the same session.
"""

from __future__ import annotations

from arena.play.adviser import Advice
from arena.play.probability import Probability
from arena.play.session import Session
from arena.play.setup import Ending, Setup, new_setup

__all__ = ["Advice", "Ending", "Probability", "Session", "Setup", "new_setup"]
