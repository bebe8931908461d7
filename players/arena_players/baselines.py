"""Baselines: players that count material and search to a fixed depth.

Almost every scheme beats random moves. Results against these players tell more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.search import Search
from arena_evaluators.material import Material
from arena_players.searching import SearchingPlayer

if TYPE_CHECKING:
    import arena


class Baseline(SearchingPlayer):
    """Counts material at a fixed depth; the search continues while there are captures."""

    def search(self, side: arena.Side) -> Search:  # noqa: ARG002  (the same for both)
        return Search(Material())


class M1(Baseline):
    """Baseline: counts material 1 ply ahead; the search continues while there are captures."""

    depth = 1


class M2(Baseline):
    """Baseline: counts material 2 plies ahead; the search continues while there are captures."""

    depth = 2


class M4(Baseline):
    """Baseline: counts material 4 plies ahead; the search continues while there are captures."""

    depth = 4
