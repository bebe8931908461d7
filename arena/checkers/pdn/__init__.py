"""Portable Draughts Notation: files of games, read as people write them and written as the standard says.

The standard is PDN 3.0 (https://pdn.fmjd.org); of its kinds of draughts only English checkers, GameType 21, is
read. Nothing here holds more than one game in memory.
"""

from __future__ import annotations

from arena.checkers.pdn.game import PDNGame, number_in
from arena.checkers.pdn.reader import opened, read
from arena.checkers.pdn.writer import game_text, write
from arena.errors import PDNError

__all__ = ["PDNError", "PDNGame", "game_text", "number_in", "opened", "read", "write"]
