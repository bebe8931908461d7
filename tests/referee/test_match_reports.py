"""The referee: reports of players."""

from __future__ import annotations

from typing import Any

import pytest

from arena.checkers.game import Game, Report
from arena.checkers.move import Move
from refereed import Random, Referee


def test_reports_are_recorded_with_their_ply(referee: Referee) -> None:
    class Reports(Random):
        def choose(self, game: Game) -> Move:
            move = super().choose(game)
            game.report(score=game.ply / 4, depth=game.ply, nodes=10**12, pv=(move, Move((9, 14))))
            return move

    record = referee.play(white=Reports)
    plies = range(3, record.plies, 2)
    assert [record.scores[ply] for ply in plies] == [ply / 4 for ply in plies]
    assert [record.depths[ply] for ply in plies] == list(plies)
    assert {record.nodes[ply] for ply in plies} == {10**12}
    assert (record.pvs[3] or "").split()[1:] == ["9-14"]
    without_report = [ply for ply in range(record.plies) if ply not in plies]
    for column in (record.scores, record.depths, record.nodes, record.pvs):
        assert {column[ply] for ply in without_report} == {None}
    assert [seconds is None for seconds in record.seconds] == [ply < 3 for ply in range(record.plies)]


@pytest.mark.parametrize(
    "report",
    [{"score": "good"}, {"depth": 1 << 15}, {"depth": -1}, {"nodes": 1 << 63}, {"pv": ("9-13",)}],
    ids=str,
)
def test_a_report_that_cannot_be_recorded_forfeits_the_game(referee: Referee, report: dict[str, Any]) -> None:
    class Misreports(Random):
        def choose(self, game: Game) -> Move:
            game.report(**report)
            return super().choose(game)

    record = referee.play(white=Misreports)
    assert (record.termination, record.forfeited_by) == ("exception", "white")


def test_a_score_that_is_not_finite_is_recorded_as_none(referee: Referee) -> None:
    class ReportsInfinity(Random):
        def choose(self, game: Game) -> Move:
            game.report(score=float("nan") if game.ply % 4 else float("inf"))
            return super().choose(game)

    record = referee.play(white=ReportsInfinity)
    assert set(record.scores) == {None}
    assert record.forfeited_by is None


@pytest.mark.parametrize("report", [None, "winning", Report(depth=2**40)])
def test_an_invalid_value_assigned_to_reported_forfeits_the_game(referee: Referee, report: object) -> None:
    class Assigns(Random):
        def choose(self, game: Game) -> Move:
            game.reported = report  # type: ignore[misc, assignment]
            return super().choose(game)

    record = referee.play(white=Assigns)
    assert (record.forfeited_by, record.termination) == ("white", "exception")
