"""The referee: adjudication by endgame tables and by scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from arena.checkers.game import DrawRules, Game
from arena.contracts.opening import Opening
from arena.errors import TablebaseError
from arena.referee import match
from arena.referee.adjudication import Agreement
from arena.search.tablebase import Tablebase, files
from refereed import BALLOT, TASK, Random, Referee, boards_of

if TYPE_CHECKING:
    from pathlib import Path

    from arena.checkers.move import Move
    from arena.contracts.player import Player


@pytest.fixture(scope="module")
def endgame_tables() -> None:
    """Build the endgame tables in the user's cache if they are missing."""
    Tablebase.open()


@pytest.mark.usefixtures("endgame_tables")
@pytest.mark.parametrize(
    ("fen", "result"),
    [("W:WK32:BK1,K2", "1-0"), ("B:WK32:BK1,K2", "1-0"), ("W:WK11:BK12", "1/2-1/2"), ("W:WK1,K2:B21", "0-1")],
)
def test_tables_end_a_game_whose_value_they_know(referee: Referee, fen: str, result: str) -> None:
    record = referee.play(task=replace(TASK, opening=Opening("end", (), fen), tables=4))
    assert (record.result, record.termination, record.forfeited_by, record.moves) == (result, "tables", None, ())


@pytest.mark.usefixtures("endgame_tables")
def test_tables_end_a_game_at_the_first_known_position_and_only_if_the_task_names_them(referee: Referee) -> None:
    played = [referee.play(task=replace(TASK, seed=seed)) for seed in range(20)]
    adjudicated = [referee.play(task=replace(TASK, seed=seed, tables=4)) for seed in range(20)]
    assert {record.termination for record in adjudicated} >= {"tables", "no moves"}
    assert "tables" not in {record.termination for record in played}
    for whole, record in zip(played, adjudicated, strict=True):
        pieces = [(black | white).bit_count() for black, white, _ in boards_of(record)]
        assert min(pieces[:-1]) > 4
        assert whole.moves[: record.plies] == record.moves
        if record.termination == "tables":
            assert pieces[-1] <= 4
        else:
            assert (record.result, record.moves) == (whole.result, whole.moves)


@pytest.mark.usefixtures("endgame_tables")
def test_the_rules_take_precedence_over_the_tables(referee: Referee) -> None:
    record = referee.play(task=replace(TASK, opening=Opening("last man", ("11x18",), "B:W15:B11"), tables=4))
    assert (record.result, record.termination) == ("1-0", "no moves")


def test_missing_tables_are_an_error(referee: Referee, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    match._tables.cache_clear()
    monkeypatch.setattr(files, "default_folder", lambda: tmp_path)
    with pytest.raises(TablebaseError, match="arena tablebase build"):
        referee.play(task=replace(TASK, tables=4))


def reporting(score: float | None, turn: int = 0) -> type[Player]:
    """A player of random moves that reports ``score`` from its turn number ``turn`` (from 0) on."""

    class Reporting(Random):
        def __init__(self) -> None:
            self.turns = 0

        def choose(self, game: Game) -> Move:
            if self.turns >= turn:
                game.report(score=score)
            self.turns += 1
            return super().choose(game)

    return Reporting


TASK_WITH_SCORES = replace(TASK, scores=Agreement(black=3.0, white=200.0, plies=6))
OPENING_PLIES = len(BALLOT.moves)
"""Plies of the opening; White moves next."""


@pytest.mark.parametrize(
    ("black", "white", "result"),
    [(3.0, -200.0, "1-0"), (-3.0, 200.0, "0-1"), (1e300, -1e300, "1-0")],
)
def test_agreed_scores_over_enough_plies_end_a_game(referee: Referee, black: float, white: float, result: str) -> None:
    record = referee.play(reporting(black), reporting(white), task=TASK_WITH_SCORES)
    assert (record.result, record.termination, record.forfeited_by) == (result, "scores", None)
    assert record.plies == OPENING_PLIES + 6
    assert record.moves == referee.play().moves[: record.plies]


def test_consecutive_plies_count_from_the_first_agreement(referee: Referee) -> None:
    record = referee.play(reporting(3.0), reporting(-200.0, turn=5), task=TASK_WITH_SCORES)
    before = 2 * 5 - 1  # Black's fifth score, just before White's sixth turn, is the first of the streak
    assert (record.termination, record.plies) == ("scores", OPENING_PLIES + before + 6)


@pytest.mark.parametrize(
    ("black", "white"),
    [(3.0, 200.0), (2.9, -200.0), (3.0, -199.0), (3.0, None), (None, None), (0.0, 0.0), (3.0, float("-inf"))],
)
def test_a_game_goes_on_while_scores_differ_or_are_missing(
    referee: Referee, black: float | None, white: float | None
) -> None:
    record, whole = referee.play(reporting(black), reporting(white), task=TASK_WITH_SCORES), referee.play()
    assert (record.moves, record.termination) == (whole.moves, whole.termination)


def test_the_rules_take_precedence_over_agreed_scores(referee: Referee) -> None:
    last_man = Opening("last man", ("1-5", "32-28"), "B:W32:B1")
    capped = replace(TASK_WITH_SCORES, opening=last_man, rules=DrawRules(ply_cap=4), scores=Agreement(1.0, 1.0, 2))
    record = referee.play(reporting(1.0), reporting(-1.0), task=capped)
    assert (record.result, record.termination, record.plies) == ("1/2-1/2", "ply cap", 4)
