"""The leaves of principal variations in the episodes of compiled games."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena.search.selfplay import Games
from arena.search.values import DECIDED
from arena_evaluators.heuristic import Heuristic


@pytest.mark.parametrize("temperature", [0.0, 3.0])
@pytest.mark.parametrize("quiescence", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_the_value_of_a_search_is_the_value_of_its_leaf(depth: int, quiescence: bool, temperature: float) -> None:
    evaluator = Heuristic()
    kernel = evaluator.kernel()
    player = arena.CompiledPlayer(kernel, depth, quiescence, explore=0.1, temperature=temperature)
    games = Games(player, player, random_plies=4)
    agreed = searched = 0
    for number in range(4):
        episode = games.play(5, number)
        assert episode.leaves is not None
        assert episode.values is not None
        assert episode.explored is not None
        assert episode.leaves.shape == (episode.plies, 4)
        np.testing.assert_array_equal(episode.leaves[:, 3] == 0, episode.explored)
        for ply in np.flatnonzero(episode.leaves[:, 3]):
            own, opp, kings, plies = episode.leaves[ply].tolist()
            value = episode.values[ply]
            side = episode.side(int(ply)) if plies % 2 == 0 else episode.side(int(ply)).other
            leaf = arena.Board.seen_by(side, own, opp, kings)
            if abs(value) * kernel.scale > DECIDED:
                assert not leaf.legal_moves
                continue
            assert plies == depth or leaf.legal_moves[:1] == () or quiescence or value == 0
            static = evaluator.evaluate(leaf) * (1 if plies % 2 == 0 else -1)
            assert static == pytest.approx(value) or value == 0  # 0: draw by repetition
            searched += 1
            agreed += static == pytest.approx(value)
            if quiescence and static == pytest.approx(value) and value != 0:
                assert not leaf.legal_moves[0].captures
    assert agreed > 0.8 * searched > 0
