"""Alpha-beta search, compared with plain minimax in Python."""

from __future__ import annotations

import itertools
import signal
import sys
import threading
import time
from collections import Counter
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.checkers.bits import popcount
from arena.checkers.notation import parse_move
from arena.search import Search
from arena_evaluators.heuristic import Heuristic
from arena_evaluators.material import Material
from positions import boards, random_game


class PlainMaterial(arena.Evaluator):
    """Material in plain Python; the unit is a man."""

    def evaluate(self, board: arena.Board) -> float:
        own, opp, kings = board.relative
        men = own.bit_count() - opp.bit_count()
        return men + 0.5 * ((own & kings).bit_count() - (opp & kings).bit_count())


def minimax(game: arena.Game, depth: int, evaluator: arena.Evaluator, quiescence: bool, ply: int = 0) -> float:
    """Return the value for the side to move by definition: a loss in n plies is n - 10**6, a repetition is a draw."""
    board = game.board
    if not board.legal_moves:
        return ply - 10**6
    if ply and (game.repetitions > 1 or game.quiet_plies >= 80):
        return 0
    if depth <= 0 and not (quiescence and board.legal_moves[0].captures):
        return evaluator.evaluate(board)
    best = -inf
    for move in board.legal_moves:
        game.play(move)
        best = max(best, -minimax(game, depth - 1, evaluator, quiescence, ply + 1))
        game.undo()
    return best


def comparable(score: float, search: Search) -> float:
    """Return a score of the search, with forced wins and losses on the scale of :func:`minimax`."""
    won = search.win_score(0)
    if not search.is_decided(score):
        return score
    plies = round((won - abs(score)) / (won - search.win_score(1)))
    return (10**6 - plies) * (1 if score > 0 else -1)


class Men(arena.Evaluator):
    """Number of men and of advanced pieces, as a kernel and in plain Python."""

    def evaluate(self, board: arena.Board) -> float:
        own, opp, _ = board.relative
        return 3 * (own.bit_count() - opp.bit_count()) + (own >> 16).bit_count() - (opp & 0xFFFF).bit_count()

    def kernel(self) -> arena.Kernel:
        return arena.Kernel(men.address)


@arena.evaluator_kernel
def men(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001
    return 3 * (popcount(own) - popcount(opp)) + popcount(own >> 16) - popcount(opp & 0xFFFF)


def values_of_moves(
    game: arena.Game, depth: int, evaluator: arena.Evaluator, quiescence: bool
) -> dict[arena.Move, float]:
    values = {}
    for move in game.board.legal_moves:
        game.play(move)
        values[move] = -minimax(game, depth - 1, evaluator, quiescence, 1)
        game.undo()
    return values


@given(st.integers(0, 10**6), st.integers(0, 120), st.integers(1, 5), st.booleans())
@settings(max_examples=500)
def test_the_search_finds_the_minimax_value_and_a_best_move(
    seed: int, plies: int, depth: int, quiescence: bool
) -> None:
    game = random_game(seed, plies)
    if game.outcome is not None:
        return
    search = Search(Men(), quiescence=quiescence)
    result = search(game, depth)
    values = values_of_moves(game, depth, Men(), quiescence)
    assert comparable(result.score, search) == max(values.values()) == values[result.move]


@given(st.integers(0, 10**6), st.integers(0, 60))
@settings(max_examples=20)
def test_the_value_does_not_depend_on_earlier_searches(seed: int, plies: int) -> None:
    game = random_game(seed, plies)
    used = Search(Heuristic())
    while game.outcome is None and game.ply < plies + 20:
        fresh = Search(Heuristic())
        result = used(game, 5)
        assert result.score == fresh(game, 5).score
        game.play(result.move)


@given(boards(), st.integers(1, 4))
def test_the_principal_variation_leads_to_the_score(board: arena.Board, depth: int) -> None:
    if not board.legal_moves:
        return
    evaluator = Material()
    search = Search(evaluator)
    result = search(arena.Game(board, arena.DrawRules(quiet_plies=None)), depth)
    assert result.pv[0] is result.move
    end = arena.Game(board)
    for move in result.pv:
        end.play(move)
    sign = 1 if end.side is board.side else -1
    expected = evaluator.evaluate(end.board) if end.board.legal_moves else len(result.pv) - 10**6
    if end.repetitions > 1:
        expected = 0
    assert comparable(result.score, search) == sign * expected


@given(boards(), st.integers(1, 3))
def test_a_plain_python_evaluator_gives_the_same_search(board: arena.Board, depth: int) -> None:
    if not board.legal_moves:
        return
    compiled, plain = Search(Material()), Search(PlainMaterial())
    result, expected = plain(board, depth), compiled(board, depth)
    assert (result.move, result.nodes, result.pv) == (expected.move, expected.nodes, expected.pv)
    assert comparable(result.score, plain) == comparable(expected.score, compiled)


@given(boards(), st.integers(1, 4))
def test_a_flipped_board_gives_the_same_search(board: arena.Board, depth: int) -> None:
    if not board.legal_moves:
        return
    original, flipped = Search(Heuristic())(board, depth), Search(Heuristic())(board.flipped(), depth)
    assert original.score == flipped.score
    assert tuple(33 - square for square in original.move.path) == flipped.move.path


def test_equally_good_moves_are_equally_likely() -> None:
    class Nothing(arena.Evaluator):
        def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
            return 0.0

    search, random = Search(Nothing()), np.random.default_rng(1)
    chosen = Counter(search(arena.Board.start(), 1, random=random).move for _ in range(2100))
    assert set(chosen) == set(arena.Board.start().legal_moves)
    assert min(chosen.values()) > 230


@pytest.mark.parametrize("selective", [False, True])
@pytest.mark.parametrize("nodes", [1, 100, 1000, 12_345])
def test_a_node_limit_is_exact(nodes: int, selective: bool) -> None:
    results = [Search(Heuristic(), selective=selective)(arena.Board.start(), nodes=nodes) for _ in range(2)]
    assert results[0].nodes == results[1].nodes
    assert results[0].nodes == nodes or (nodes == 1 and results[0].depth == 1)
    assert (results[0].move, results[0].score, results[0].pv) == (results[1].move, results[1].score, results[1].pv)


def test_depth_1_is_completed_regardless_of_the_limit() -> None:
    result = Search(Material())(arena.Board.from_fen("B:W18,27:B14,1"), nodes=1)
    assert (result.depth, str(result.move)) == (1, "14x23x32")


def test_a_time_limit_ends_the_search() -> None:
    started = time.monotonic()
    result = Search(Heuristic(), selective=True)(arena.Board.start(), seconds=0.2)
    assert time.monotonic() - started < 5
    assert result.seconds >= 0.2
    assert result.depth > 6


def test_a_repeated_position_is_a_draw() -> None:
    """Black is two kings behind, so the draw is its best result."""
    game = arena.Game(arena.Board.from_fen("B:WK32,K31,K30:BK1"))
    for text in ("1-6", "32-27", "6-1", "27-32", "1-6", "32-27"):
        game.play(parse_move(game.board, text))
    without_history = Search(Material())(game.board, 3)
    with_history = Search(Material())(game, 3)
    assert without_history.score < 0
    assert (with_history.score, str(with_history.move)) == (0, "6-1")


def test_the_search_knows_the_rule_of_quiet_plies() -> None:
    game = arena.Game(arena.Board.from_fen("B:WK32,K31,K30:BK1"), arena.DrawRules(quiet_plies=4))
    assert Search(Material())(game, 3).score < 0
    assert Search(Material())(game, 4).score == 0


def test_the_workspace_is_large_enough_for_the_deepest_search() -> None:
    kings = arena.Board.from_fen("B:WK29,K30,K31,K32,K21:BK1,K2,K3,K4,K12")
    result = Search(Material(), selective=True)(kings, depth=64, nodes=200_000)
    assert result.nodes == 200_000


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent in another way there")
def test_ctrl_c_ends_a_long_search() -> None:
    threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT)).start()
    search = Search(Heuristic(), selective=True)
    with pytest.raises(KeyboardInterrupt):
        search(arena.Board.start(), 64)
    assert search(arena.Board.start(), 4).depth == 4


@pytest.mark.parametrize("selective", [False, True])
def test_the_search_prefers_the_shortest_win(selective: bool) -> None:
    board = arena.Board.from_fen("B:WK32:B15,16,19")
    search = Search(Material(), quiescence=False, selective=selective)
    result = search(board, 9)
    assert result.score == search.win_score(7)
    assert search.is_decided(result.score)
    assert len(result.pv) == 7


def test_quiescence_completes_an_exchange() -> None:
    board = arena.Board.from_fen("B:W18,19,27:B9,10,6,2")
    chosen = {
        quiescence: {
            str(Search(Material(), quiescence=quiescence)(board, 1, random=np.random.default_rng(seed)).move)
            for seed in range(30)
        }
        for quiescence in (False, True)
    }
    assert "10-15" in chosen[False]
    assert "10-15" not in chosen[True]


@pytest.mark.parametrize("error", [ValueError("lost"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_an_exception_of_a_python_evaluator_is_raised_by_the_search(error: BaseException) -> None:
    calls = itertools.count()

    class Faulty(arena.Evaluator):
        def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
            if next(calls) == 5:
                raise error
            return 0.0

    search = Search(Faulty())
    with pytest.raises(type(error)):
        search(arena.Board.start(), 3)
    assert search(arena.Board.start(), 2).depth == 2


@pytest.mark.parametrize("value", [1e6, float("inf"), float("nan")])
def test_a_value_out_of_range_is_an_error(value: float) -> None:
    class Wild(arena.Evaluator):
        def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
            return value

    with pytest.raises(arena.ArenaError, match="values lie within ±1000"):
        Search(Wild())(arena.Board.start(), 1)


@pytest.mark.parametrize("depth", [0, -1, 65])
def test_a_depth_out_of_range_is_refused(depth: int) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        Search(Material())(arena.Board.start(), depth)


def test_a_lost_board_cannot_be_searched() -> None:
    with pytest.raises(ValueError, match="no move to search"):
        Search(Material())(arena.Board.from_fen("B:W5:B"), 1)
