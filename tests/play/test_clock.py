"""The clock of a game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.move import Side
from arena.play.clock import Clock

if TYPE_CHECKING:
    from playing import Time


def test_a_turn_costs_its_time_and_gains_the_increment(time: Time) -> None:
    clock = Clock([60.0, 50.0], 2.0, time)
    clock.start(Side.BLACK)
    time.now += 7
    assert clock.left(Side.BLACK) == 53
    assert clock.stop() == 7
    assert [clock.left(side) for side in Side] == [55, 50]


def test_time_between_turns_belongs_to_nobody(time: Time) -> None:
    clock = Clock([60.0, 60.0], 0.0, time)
    time.now += 5
    clock.start(Side.WHITE)
    clock.stop()
    time.now += 5
    assert clock.all_left == [60, 60]


def test_a_turn_without_a_move_gains_nothing(time: Time) -> None:
    clock = Clock([60.0, 60.0], 2.0, time)
    clock.start(Side.BLACK)
    time.now += 1
    clock.stop(moved=False)
    assert clock.left(Side.BLACK) == 59


def test_a_side_without_time_gains_nothing(time: Time) -> None:
    clock = Clock([1.0, 1.0], 10.0, time)
    clock.start(Side.BLACK)
    time.now += 3
    clock.stop()
    assert clock.left(Side.BLACK) == -2


def test_without_a_limit_turns_are_measured_all_the_same(time: Time) -> None:
    clock = Clock(None, now=time)
    clock.start(Side.BLACK)
    time.now += 3
    clock.start(Side.BLACK)  # goes on
    time.now += 1
    assert clock.left(Side.BLACK) is None
    assert clock.all_left is None
    assert clock.stop() == 4
    assert clock.stop() == 0


@given(st.lists(st.integers(0, 20), max_size=12))
def test_all_time_is_accounted_for(turns: list[int]) -> None:
    now = 0.0
    clock = Clock([1000.0, 1000.0], 3.0, lambda: now)
    for number, used in enumerate(turns):
        clock.start(Side(number % 2))
        now += used
        clock.stop()
    assert sum(clock.all_left or []) == 2000 + 3 * len(turns) - sum(turns)
