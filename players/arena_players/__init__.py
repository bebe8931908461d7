"""The built-in players."""

from __future__ import annotations

import arena
from arena_players.human import Human
from arena_players.lms import LMS
from arena_players.minimax import Minimax
from arena_players.random import Random
from arena_players.td import TD


@arena.hookimpl
def register_players() -> dict[str, type[arena.Player]]:
    return {"random": Random, "human": Human, "minimax": Minimax, "lms": LMS, "td": TD}
