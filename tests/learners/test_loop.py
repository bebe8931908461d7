"""The learning loop: compiled games equal games played step by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import arena
from arena_evaluators.linear import Linear
from arena_learners.loop import SelfPlay, StepByStep


@dataclass
class Fixed:
    """A performance system that does not learn."""

    weights: np.ndarray
    depth: int = 1
    quiescence: bool = False
    explore: float = 0.0
    temperature: float = 0.0

    def compiled(self, side: arena.Side) -> arena.CompiledPlayer:
        evaluator = Linear(arena.Model("lms", {"weights": self.weights}), perspective=side)
        return arena.CompiledPlayer(evaluator.kernel(), self.depth, self.quiescence, self.explore, self.temperature)

    def refresh(self) -> None:
        pass


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"explore": 0.3},
        {"temperature": 2.0, "explore": 0.1},
        {"depth": 2},
        {"depth": 2, "quiescence": True, "explore": 0.1},
        {"depth": 3},
    ],
)
@pytest.mark.parametrize("weights", [(0.0,) * 7, (0.5, 1.0, -1.0, 2.0, -2.0, -0.7, 0.6)])
def test_compiled_games_equal_games_played_step_by_step(settings: dict[str, float], weights: tuple[float, ...]) -> None:
    performance = Fixed(np.array(weights), **settings)  # type: ignore[arg-type]
    compiled, stepped = (kind(performance, seed=3, random_plies=2) for kind in (SelfPlay, StepByStep))
    for number in range(3):
        fast, slow = compiled.play(number), stepped.play(number)
        np.testing.assert_array_equal(fast.boards, slow.boards)
        np.testing.assert_array_equal(fast.explored, slow.explored)
        np.testing.assert_array_equal(fast.values, slow.values)
        for name in ("winner", "first", "learners", "termination"):
            assert getattr(fast, name) == getattr(slow, name)


def test_both_generators_repeat_the_given_starts() -> None:
    boards = tuple(map(arena.Board.from_fen, ("W:W21,22,K23:B1,2,K3", "B:W30,31,32:B1,2,3,4")))
    performance = Fixed(np.array((0.5, 1.0, -1.0, 2.0, -2.0, -0.7, 0.6)), explore=0.2)
    starts = arena.Starts(boards)
    compiled, stepped = (kind(performance, seed=3, starts=starts) for kind in (SelfPlay, StepByStep))
    for number in range(4):
        fast, slow = compiled.play(number), stepped.play(number)
        assert fast.board(0) == boards[number % 2]
        np.testing.assert_array_equal(fast.boards, slow.boards)
        assert (fast.winner, fast.first) == (slow.winner, slow.first)


def test_games_follow_from_seed_and_number() -> None:
    performance = Fixed(np.zeros(7))
    one, other = SelfPlay(performance, seed=1), SelfPlay(performance, seed=1)
    other.play(5)
    np.testing.assert_array_equal(one.play(2).boards, other.play(2).boards)
    assert len({one.play(number).boards.tobytes() for number in range(20)}) == 20
    assert not np.array_equal(one.play(0).boards, SelfPlay(performance, seed=2).play(0).boards)
