"""``arena claims fixed-opponent``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.training import duel
from arena_claims.fixed_opponent import fixed_opponent

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    import arena


def test_measured_games_have_a_separate_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def measure(
        player: Callable[[], arena.Player],  # noqa: ARG001
        opponent: Callable[[], arena.Player],  # noqa: ARG001
        games: int,  # noqa: ARG001
        seed: int,
    ) -> duel.Score:
        seeds.append(seed)
        return duel.Score(1, 0, 1)

    monkeypatch.setattr(duel, "duel", measure)
    fixed_opponent(learner="lms", against="m1", games=2, every=2, test_games=2, seed=3, seeds=1, json=True)
    assert seeds == [duel.baseline_seed(3)] * 2
