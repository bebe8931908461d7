"""The commands of ``arena experiment``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.experiment import duel
from arena_learners.experiments.fixed_opponent import fixed_opponent

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    import arena


def test_measured_games_have_a_seed_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = []

    def measure(player: Callable[[], arena.Player], opponent: str, games: int, seed: int) -> duel.Tally:  # noqa: ARG001
        seeds.append(seed)
        return duel.Tally(1, 0, 1)

    monkeypatch.setattr(duel, "measure", measure)
    fixed_opponent(learner="lms", against="m1", games=2, every=2, test_games=2, seed=3, seeds=1, json=True)
    assert seeds == [duel.apart(3)] * 2
