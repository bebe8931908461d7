"""Portable Draughts Notation (PDN), a file format for games.

The reader accepts common deviations from the standard; the writer follows it. The standard is PDN 3.0
(https://pdn.fmjd.org). Only English checkers, GameType 21, is supported. At most one game is in memory at a time.
"""

from __future__ import annotations

from arena.checkers.pdn.game import PDNGame, number_in
from arena.checkers.pdn.reader import opened, read
from arena.checkers.pdn.tokens import MARKS
from arena.checkers.pdn.writer import game_text, write
from arena.errors import PDNError

__all__ = ["MARKS", "PDNError", "PDNGame", "game_text", "number_in", "opened", "read", "write"]
