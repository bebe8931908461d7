"""Environments for libraries of reinforcement learning, and their trained policies as players.

``import arena.rl`` registers ``arena/checkers-v0`` with PettingZoo and ``arena/Checkers-v0`` with Gymnasium. Both need
the extra ``rl``. Actions and observations are those of :mod:`arena.checkers.turns`.
"""

from __future__ import annotations

from arena.errors import UsageError
from arena.rl.policies import layers_of as layers_of
from arena.rl.policies import save_policy as save_policy

try:
    import gymnasium
    import pettingzoo
except ImportError:
    raise UsageError("arena.rl needs PettingZoo and Gymnasium: pip install 'checkers-arena[rl]'") from None

TWO_SEATS = "arena/checkers-v0"
"""Name of the PettingZoo environment: an agent plays each colour."""
ONE_SEAT = "arena/Checkers-v0"
"""Name of the Gymnasium environment: one agent plays against a player of the arena."""

pettingzoo.register("aec", TWO_SEATS, entry_point="arena.rl.two_seats:TwoSeats")
gymnasium.register(ONE_SEAT, entry_point="arena.rl.one_seat:OneSeat")
