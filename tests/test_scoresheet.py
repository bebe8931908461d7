"""The record of a game, and what is left of one that broke off."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.game import Game, Outcome, Report, Side, Termination
from arena.checkers.notation import parse_move
from arena.errors import BadFEN, IllegalMove
from arena.marker import TurnMarker
from arena.opening import Opening
from arena.scoresheet import REASON_LIMIT, Scoresheet, broken_off, opened
from arena.task import GameTask

BALLOT = Opening("9-13 21-17 5-9", ("9-13", "21-17", "5-9"))
TASK = GameTask("black vs white", 0, 77, BALLOT, black="black", white="white")
DRAW = Outcome(None, Termination.PLY_CAP)


def codes_of(*texts: str) -> list[int]:
    game, codes = Game(), []
    for text in texts:
        move = parse_move(game.board, text)
        codes.append(move._codes[game.side])
        game.play(move)
    return codes


def test_it_begins_with_the_opening_about_which_nobody_said_anything() -> None:
    sheet = Scoresheet(TASK, TurnMarker(), 4.5)
    sheet.ledger.enter(parse_move(sheet.ledger.board, "25-21"), Report(0.5, 3, 17, "25-21 9-14"), 0.25)
    record = sheet.record(DRAW)
    assert record.moves == (*BALLOT.moves, "25-21")
    assert (record.scores, record.depths) == ((None, None, None, 0.5), (None, None, None, 3))
    assert (record.nodes, record.seconds) == ((None, None, None, 17), (None, None, None, 0.25))
    assert record.pvs == (None, None, None, "25-21 9-14")
    assert (record.started, record.result, record.termination) == (4.5, "1/2-1/2", "ply cap")


def test_a_forfeit_is_the_other_sides_game() -> None:
    record = Scoresheet(TASK, TurnMarker(), 0.0).forfeit(Side.WHITE, Termination.CRASH, "why")
    assert (record.result, record.termination, record.guilty, record.reason) == ("1-0", "crash", "white", "why")


@pytest.mark.parametrize(
    ("opening", "error"),
    [(Opening("x", ("9-14", "9-14")), IllegalMove), (Opening("x", (), "B:W1:B1"), BadFEN)],
    ids=["move", "fen"],
)
def test_what_is_no_opening_is_refused(opening: Opening, error: type[Exception]) -> None:
    task = replace(TASK, opening=opening)
    for begin in (lambda: Scoresheet(task, TurnMarker(), 0.0), lambda: opened(task)):
        with pytest.raises(error):
            begin()


def test_a_task_can_be_opened_as_a_game_for_players() -> None:
    assert [str(move) for move in opened(TASK).moves] == list(BALLOT.moves)


def test_a_game_that_broke_off_is_recorded_as_far_as_it_got() -> None:
    texts = (*BALLOT.moves, "25-21", "9-14", "29-25")
    record = broken_off(TASK, codes_of(*texts), 5.5, guilty=Side.WHITE, termination=Termination.TIMEOUT, reason="slow")
    assert record.moves == texts
    assert len(record.boards) == 12 * 7
    assert (record.result, record.termination, record.guilty) == ("1-0", "timeout", "white")
    assert (record.reason, record.started, record.seconds) == ("slow", 5.5, (None,) * 6)


def test_a_game_that_broke_off_in_its_opening_has_the_opening_on_record() -> None:
    record = broken_off(TASK, codes_of("9-13"), 0.0, guilty=Side.BLACK, termination=Termination.CRASH, reason="")
    assert record.moves == BALLOT.moves


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_what_a_player_has_spoilt_ends_the_moves_of_a_game_that_broke_off(garbage: list[int]) -> None:
    legal = codes_of(*BALLOT.moves, "25-21", "9-14")
    codes = [*legal[:-1], 0, *garbage, legal[-1]]
    record = broken_off(TASK, codes, 0.0, guilty=Side.BLACK, termination=Termination.CRASH, reason="")
    assert record.moves == (*BALLOT.moves, "25-21")


@given(st.text(st.characters(exclude_categories=()), max_size=40), st.integers(0, 2000))
def test_a_reason_is_bounded_text_that_any_database_keeps(piece: str, times: int) -> None:
    reason = broken_off(TASK, [], 0.0, guilty=Side.BLACK, termination=Termination.CRASH, reason=piece * times).reason
    assert reason is not None
    assert len(reason.replace("\\0", "\0")) <= REASON_LIMIT + 60
    assert "\0" not in reason
    reason.encode("utf-8")


def test_a_long_reason_keeps_its_beginning_and_its_end() -> None:
    text = "begin" + "." * 50_000 + "end"
    record = broken_off(TASK, [], 0.0, guilty=Side.BLACK, termination=Termination.CRASH, reason=text)
    assert (record.reason or "").startswith("begin.")
    assert (record.reason or "").endswith(".end")
    assert "characters left out" in (record.reason or "")
