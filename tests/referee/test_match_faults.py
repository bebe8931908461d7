"""The referee: faults that forfeit a game, and attempts to influence it."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.board import Board
from arena.checkers.game import Game, Termination
from arena.checkers.move import Move, Side
from arena.referee import match
from arena.referee.match import REASON_LIMIT, bounded
from refereed import BALLOT, Random, Referee

if TYPE_CHECKING:
    from arena.contracts.record import GameRecord


class Unprintable(BaseException):
    def __str__(self) -> str:
        raise self

    __repr__ = __str__


class WithoutRepr:
    def __repr__(self) -> str:
        sys.exit("never")


RAISED = [
    (ValueError("wrong"), "ValueError: wrong"),
    (SystemExit(3), "SystemExit: 3"),
    (KeyboardInterrupt(), "KeyboardInterrupt"),
    (GeneratorExit(), "GeneratorExit"),
    (Unprintable(), "Unprintable"),
    (match._Forfeit(Side.WHITE, match.Fault(Termination.TIMEOUT, "a fault of the opponent")), "_Forfeit"),
]


@pytest.mark.parametrize(("error", "text"), RAISED, ids=[type(error).__name__ for error, _ in RAISED])
@pytest.mark.parametrize("where", ["__init__", "start", "choose"])
def test_any_exception_forfeits_the_game(referee: Referee, where: str, error: BaseException, text: str) -> None:
    def fail(*_: object) -> None:
        raise error

    class Fails(Random):
        pass

    setattr(Fails, where, fail)
    for record, forfeited_by in ((referee.play(Fails), "black"), (referee.play(white=Fails), "white")):
        assert record.termination == "exception"
        assert record.forfeited_by == forfeited_by
        assert record.result == {"black": "0-1", "white": "1-0"}[forfeited_by]
        assert text in (record.reason or "")


NOT_MOVES = [None, "9-13", (9, 13), 5, Move, WithoutRepr()]


@pytest.mark.parametrize("choice", NOT_MOVES, ids=lambda choice: type(choice).__name__)
def test_a_choice_that_is_not_a_move_forfeits_the_game(referee: Referee, choice: Any) -> None:
    class ChoosesOther(Random):
        def choose(self, game: Game) -> Move:  # noqa: ARG002
            return choice  # type: ignore[no-any-return]

    record = referee.play(white=ChoosesOther)
    assert (record.result, record.termination, record.forfeited_by) == ("1-0", "illegal move", "white")
    assert (record.reason or "").startswith("choose returned ")
    assert "; legal moves: " in (record.reason or "")


def test_an_illegal_move_forfeits_the_game(referee: Referee) -> None:
    class ChoosesIllegal(Random):
        def choose(self, game: Game) -> Move:  # noqa: ARG002
            return Move((1, 5))

    record = referee.play(white=ChoosesIllegal)
    assert (record.termination, record.forfeited_by) == ("illegal move", "white")
    assert (record.reason or "").startswith("choose returned Move(1-5); legal moves: ")
    assert record.moves == BALLOT.moves


def test_an_exception_in_finish_is_ignored(referee: Referee) -> None:
    class FailsToFinish(Random):
        def finish(self, record: GameRecord) -> None:  # noqa: ARG002
            raise SystemExit

    assert referee.play(FailsToFinish, FailsToFinish).moves == referee.play().moves


def test_changes_to_the_copy_of_the_game_have_no_effect(referee: Referee) -> None:
    class ChangesGame(Random):
        def choose(self, game: Game) -> Move:
            move = super().choose(game)
            game.play(move)
            game.undo()
            game.undo()
            game.board = Board.from_fen("B:W32:B1")
            game.limits = game.rules = None  # type: ignore[assignment]
            return move

        def start(self, game: Game) -> None:
            game.__dict__.clear()

    assert referee.play(ChangesGame, ChangesGame).moves == referee.play().moves


def test_replaced_clocks_and_generators_have_no_effect(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((time, "time"), (time, "perf_counter"), (np.random, "default_rng")):
        monkeypatch.setattr(module, name, getattr(module, name))  # restores them after the test

    class Patches(Random):
        def start(self, game: Game) -> None:  # noqa: ARG002
            time.time = time.perf_counter = np.random.default_rng = None  # type: ignore[assignment]

    before, patched, after = referee.play(), referee.play(Patches), referee.play()
    assert before.moves == patched.moves == after.moves
    assert after.forfeited_by is None


@given(st.text(st.characters(exclude_categories=()), max_size=40), st.integers(0, 2000))
def test_a_reason_is_bounded_and_valid_text(piece: str, times: int) -> None:
    reason = bounded(piece * times)
    assert len(reason.replace("\\0", "\0")) <= REASON_LIMIT + 60
    assert "\0" not in reason
    reason.encode("utf-8")


def test_a_long_reason_keeps_its_beginning_and_its_end() -> None:
    reason = bounded("begin" + "." * 50_000 + "end")
    assert reason.startswith("begin.")
    assert reason.endswith(".end")
    assert "characters left out" in reason
