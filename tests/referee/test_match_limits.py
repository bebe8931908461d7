"""The referee: limits of time and search."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import pytest

from arena.checkers.game import Game, Limits
from arena.referee.match import play
from refereed import TASK, Random, Referee

if TYPE_CHECKING:
    from arena.checkers.move import Move


class Slow(Random):
    """Sleeps before every move and notes its limits."""

    seconds = 0.03
    seen: ClassVar[list[Limits]] = []

    def choose(self, game: Game) -> Move:
        self.seen.append(game.limits)
        time.sleep(self.seconds)
        return super().choose(game)


class Slower(Slow):
    """Sleeps longer than the limit of the test plus the margin."""

    seconds = 0.25


def test_the_clock_is_charged_and_gains_its_increment(referee: Referee) -> None:
    Slow.seen.clear()
    record = referee.play(Slow, Random, replace(TASK, limits=Limits(depth=3, nodes=9, clock=0.2, increment=0.01)))
    assert (record.forfeited_by, record.termination, record.result) == ("black", "timeout", "0-1")
    assert "seconds more than were left on its clock" in (record.reason or "")
    assert [(limits.depth, limits.nodes) for limits in Slow.seen] == [(3, 9)] * len(Slow.seen)
    clocks = [limits.clock for limits in Slow.seen]
    assert clocks[0] == 0.2
    assert clocks == sorted(clocks, reverse=True)  # type: ignore[type-var]
    own_seconds = [seconds for seconds in record.seconds[4::2] if seconds is not None]
    spent = sum(own_seconds[: len(clocks) - 1])
    assert clocks[-1] == pytest.approx(0.2 - spent + 0.01 * (len(clocks) - 1), abs=1e-4)


def test_a_move_that_exceeds_its_seconds_forfeits_the_game(referee: Referee) -> None:
    assert referee.play(Slow, Random, replace(TASK, limits=Limits(seconds=5.0))).forfeited_by is None
    record = referee.play(Random, Slower, replace(TASK, limits=Limits(seconds=0.1)))
    assert (record.forfeited_by, record.termination) == ("white", "timeout")
    assert "0.1 were allowed" in (record.reason or "")


def test_search_players_obey_the_limits() -> None:
    spec = "minimax:depth=64"
    names = replace(TASK, black=spec, white="random", pairing=f"{spec} vs random")
    record = play(replace(names, limits=Limits(nodes=500)))
    assert {nodes for nodes in record.nodes[4::2] if nodes is not None} <= set(range(501))
    assert max(nodes or 0 for nodes in record.nodes) == 500
    record = play(replace(names, limits=Limits(depth=2)))
    assert {depth for depth in record.depths if depth is not None} <= {1, 2}
    record = play(replace(names, limits=Limits(clock=3.0)))
    assert (record.forfeited_by, record.result) == (None, "1-0")
