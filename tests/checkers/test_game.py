"""Games: history, draw rules, outcome."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.checkers.notation import parse_move
from positions import games, random_game

if TYPE_CHECKING:
    from collections.abc import Callable

TWO_KINGS = "B:WK32:BK1"


def play(game: arena.Game, moves: str) -> arena.Game:
    for text in moves.split():
        game.play(parse_move(game.board, text))
    return game


def test_a_side_without_a_legal_move_loses() -> None:
    game = arena.Game(arena.Board.from_fen("B:W9:B1,K6"))
    play(game, "6x13")
    assert game.outcome == arena.Outcome(arena.Side.BLACK, arena.Termination.NO_MOVES)
    assert game.outcome.result == "1-0"
    blocked = arena.Game(arena.Board.from_fen("W:W13:B9,6"))
    assert blocked.outcome == arena.Outcome(arena.Side.BLACK, arena.Termination.NO_MOVES)
    assert arena.Game(arena.Board.from_fen("B:W13:B")).outcome.result == "0-1"


def test_the_third_occurrence_of_a_position_draws() -> None:
    game = arena.Game(arena.Board.from_fen(TWO_KINGS))
    cycle = "1-6 32-27 6-1 27-32"
    play(game, cycle)
    assert game.repetitions == 2
    assert game.outcome is None
    play(game, "1-6 32-27 6-1")
    assert game.outcome is None
    play(game, "27-32")
    assert game.repetitions == 3
    assert game.outcome == arena.Outcome(None, arena.Termination.REPETITION)
    assert game.outcome.result == "1/2-1/2"


def test_the_same_board_with_the_other_side_to_move_is_another_position() -> None:
    game = arena.Game(arena.Board.from_fen("B:WK32:BK1"))
    play(game, "1-6 32-27 6-1 27-32")
    assert game.boards.count(game.board) == 2
    assert game.boards.count(game.board._replace(side=arena.Side.WHITE)) == 0


def test_eighty_quiet_plies_draw_and_undo_restores_the_count() -> None:
    rules = arena.DrawRules(repetitions=None)
    game = arena.Game(arena.Board.from_fen(TWO_KINGS), rules)
    for _ in range(20):
        assert game.outcome is None
        play(game, "1-6 32-27 6-1 27-32")
    assert game.quiet_plies == 80
    assert game.outcome == arena.Outcome(None, arena.Termination.QUIET)
    game.undo()
    assert game.quiet_plies == 79
    assert game.outcome is None


def test_a_capture_and_a_mans_move_reset_the_count_of_quiet_plies() -> None:
    game = play(arena.Game(arena.Board.from_fen("B:WK32,20:BK1,9")), "1-6 32-27")
    assert game.quiet_plies == 2
    assert play(game, "9-13").quiet_plies == 0
    capture = play(arena.Game(arena.Board.from_fen("B:WK32,W6,20:BK1".replace("W6", "6"))), "1x10")
    assert capture.quiet_plies == 0


def test_the_ply_cap_draws() -> None:
    game = arena.Game(rules=arena.DrawRules(ply_cap=2))
    assert play(game, "9-13 22-18").outcome == arena.Outcome(None, arena.Termination.PLY_CAP)


def test_disabled_rules_do_not_end_a_game() -> None:
    game = arena.Game(arena.Board.from_fen(TWO_KINGS), arena.DrawRules(None, None, None))
    play(game, "1-6 32-27 6-1 27-32 " * 120)
    assert game.ply == 480
    assert game.outcome is None


def test_a_loss_takes_precedence_over_a_draw() -> None:
    rules = arena.DrawRules(ply_cap=1)
    game = play(arena.Game(arena.Board.from_fen("B:W9:B1,K6"), rules), "6x13")
    assert game.outcome == arena.Outcome(arena.Side.BLACK, arena.Termination.NO_MOVES)


@given(games(), st.integers(0, 40))
def test_undo_restores_everything(game: arena.Game, plies: int) -> None:
    again = random_game(0, 0)
    plies = min(plies, game.ply)
    for move in game.moves[: game.ply - plies]:
        again.play(move)
    for _ in range(plies):
        game.undo()
    assert (game.board, game.boards, game.moves) == (again.board, again.boards, again.moves)
    assert (game.quiet_plies, game.repetitions, game.outcome) == (
        again.quiet_plies,
        again.repetitions,
        again.outcome,
    )


@given(games())
def test_repetitions_is_the_number_of_equal_boards(game: arena.Game) -> None:
    assert game.repetitions == game.boards.count(game.board)


@given(games())
def test_moves_of_a_copy_leave_the_game_unchanged(game: arena.Game) -> None:
    twin = game.copy()
    assert (twin.board, twin.moves, twin.outcome) == (game.board, game.moves, game.outcome)
    before = game.boards
    if twin.board.legal_moves:
        twin.play(twin.board.legal_moves[0])
    assert game.boards == before


@pytest.mark.parametrize("twin_of", [copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_long_game_can_be_copied_and_pickled(twin_of: Callable[[arena.Game], arena.Game]) -> None:
    rules = arena.DrawRules(None, None, None)
    game = arena.Game(arena.Board.from_fen(TWO_KINGS), rules)
    play(game, "1-6 32-27 6-1 27-32 " * 1000)
    twin = twin_of(game)
    assert (twin.boards, twin.moves, twin.rules, twin.quiet_plies) == (game.boards, game.moves, rules, 4000)
    twin.undo()
    assert (game.ply, twin.ply) == (4000, 3999)


def test_undo_at_the_start_raises_an_error() -> None:
    with pytest.raises(IndexError, match="no move to take back"):
        arena.Game().undo()


def test_an_illegal_move_leaves_the_game_unchanged() -> None:
    game = arena.Game()
    with pytest.raises(arena.IllegalMove):
        game.play(arena.Move((21, 17)))
    assert (game.ply, game.board) == (0, arena.Board.start())


@pytest.mark.parametrize(
    ("given", "message"),
    [({"depth": -1}, "depth"), ({"depth": 2**15}, "depth"), ({"nodes": -1}, "nodes"), ({"pv": ("9-13",)}, "moves")],
    ids=str,
)
def test_a_report_that_cannot_be_recorded_is_refused(given: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        arena.Game().report(**given)


def test_a_copy_has_no_report() -> None:
    game = arena.Game()
    move = game.board.legal_moves[0]
    game.report(score=1.5, depth=4, nodes=10, pv=(move,))
    report = game.reported
    assert (report.score, report.depth, report.nodes, report.pv) == (1.5, 4, 10, str(move))
    assert game.copy().reported.score is None
