"""The built-in players."""

from __future__ import annotations

import arena
from arena_players.baselines import M1, M2, M4
from arena_players.engine import Engine
from arena_players.human import Human
from arena_players.lms import LMS
from arena_players.minimax import Minimax
from arena_players.openspiel import OpenSpiel
from arena_players.patterns import Patterns
from arena_players.policy import Policy
from arena_players.qmodel import QMetrics, QModel
from arena_players.random import Random
from arena_players.td import TD
from arena_players.tuned import Tuned


@arena.hookimpl
def register_players() -> dict[str, type[arena.Player]]:
    return {
        "random": Random,
        "human": Human,
        "engine": Engine,
        "openspiel": OpenSpiel,
        "minimax": Minimax,
        "lms": LMS,
        "td": TD,
        "qmetrics": QMetrics,
        "qmodel": QModel,
        "policy": Policy,
        "patterns": Patterns,
        "tuned": Tuned,
        "m1": M1,
        "m2": M2,
        "m4": M4,
    }
