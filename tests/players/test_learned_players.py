"""The players of patterns and of tuned coefficients, with shipped weights."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena.training.duel import duel, measure
from arena_evaluators.heuristic import Heuristic
from arena_players.minimax import Minimax
from arena_players.patterns import Patterns
from arena_players.tuned import Tuned


def test_shipped_patterns_beat_material_at_equal_depth() -> None:
    assert measure(Patterns, "m4", games=60, seed=11).score_pct > 75


def test_shipped_coefficients_beat_the_stock_heuristic() -> None:
    assert duel(Tuned, lambda: Minimax(evaluator=Heuristic()), games=60, seed=12).score_pct > 60


@pytest.mark.parametrize("player", [Patterns, Tuned])
def test_shipped_weights_have_provenance(player: type[Patterns | Tuned]) -> None:
    model = player().weights
    assert model.provenance["command"].startswith("arena train ")
    assert model.path is not None
    assert model.path.stat().st_size <= 1_000_000
    for word in ("seed", "games", "version", "learner"):
        assert model.provenance[word]


@pytest.mark.parametrize("player", [Patterns, Tuned])
def test_the_same_seed_plays_the_same_game(player: type[arena.Player]) -> None:
    def moves(seed: int) -> list[str]:
        game = arena.Game(random=np.random.default_rng(seed))
        players = player(), player()
        while game.outcome is None:
            game.play(players[game.side].choose(game))
        return list(map(str, game.moves))

    assert moves(3) == moves(3)
