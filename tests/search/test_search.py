"""Alpha-beta against plain minimax, written here in a few lines of Python."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arena
from arena.search import Search
from arena_evaluators.heuristic import Heuristic
from arena_evaluators.material import Material
from positions import boards, random_game


class PlainMaterial(arena.Evaluator):
    """Material in plain Python, in men."""

    def evaluate(self, board: arena.Board) -> float:
        own, opp, kings = board.relative
        men = own.bit_count() - opp.bit_count()
        return men + 0.5 * ((own & kings).bit_count() - (opp & kings).bit_count())


def minimax(board: arena.Board, depth: int, evaluator: arena.Evaluator, quiescence: bool, ply: int = 0) -> float:
    """The definition: value for the side to move; a loss in n plies is n - 10**6."""
    if not board.legal_moves:
        return ply - 10**6
    if depth <= 0 and not (quiescence and board.legal_moves[0].captures):
        return evaluator.evaluate(board)
    return max(-minimax(board.after(move), depth - 1, evaluator, quiescence, ply + 1) for move in board.legal_moves)


def comparable(score: float, search: Search) -> float:
    """A score of the search with wins and losses as :func:`minimax` gives them."""
    won = search.win_score(0)
    if abs(score) < search.win_score(1000):
        return score
    plies = round((won - abs(score)) / (won - search.win_score(1)))
    return (10**6 - plies) * (1 if score > 0 else -1)


@given(st.integers(0, 10**6), st.integers(0, 120), st.integers(1, 4), st.booleans())
@settings(max_examples=500)
def test_it_finds_the_minimax_value_and_every_best_move(seed: int, plies: int, depth: int, quiescence: bool) -> None:
    board = random_game(seed, plies).board
    if not board.legal_moves:
        return
    evaluator = Heuristic()
    search = Search(evaluator, quiescence)
    result = search(board, depth)
    values = {move: -minimax(board.after(move), depth - 1, evaluator, quiescence, 1) for move in board.legal_moves}
    best = max(values.values())
    assert comparable(result.score, search) == best
    assert [line.move for line in result.best] == [move for move in values if values[move] == best]


@given(boards(), st.integers(1, 3))
def test_the_principal_variation_leads_to_the_score(board: arena.Board, depth: int) -> None:
    if not board.legal_moves:
        return
    evaluator = Material()
    search = Search(evaluator)
    result = search(board, depth)
    for line in result.best:
        assert line.pv[0] is line.move
        end = board
        for move in line.pv:
            end = end.after(move)
        sign = 1 if end.side is board.side else -1
        expected = evaluator.evaluate(end) if end.legal_moves else len(line.pv) - 10**6
        assert comparable(result.score, search) == sign * expected


@given(boards(), st.integers(1, 3))
def test_a_plain_python_evaluator_gives_the_same_search(board: arena.Board, depth: int) -> None:
    if not board.legal_moves:
        return
    compiled, plain = Search(Material()), Search(PlainMaterial())
    ours, theirs = compiled(board, depth), plain(board, depth)
    assert [line.move for line in ours.best] == [line.move for line in theirs.best]
    assert comparable(ours.score, compiled) == comparable(theirs.score, plain)
    assert ours.nodes == theirs.nodes


@given(boards(), st.integers(1, 4))
def test_both_colours_see_the_same(board: arena.Board, depth: int) -> None:
    if not board.legal_moves:
        return
    search = Search(Heuristic())
    ours, theirs = search(board, depth), search(board.flipped(), depth)
    assert ours.score == theirs.score
    assert {tuple(33 - s for s in line.move.path) for line in ours.best} == {line.move.path for line in theirs.best}


def test_it_takes_the_shortest_win() -> None:
    board = arena.Board.from_fen("B:WK32:B15,16,19")
    search = Search(Material(), quiescence=False)
    scores = [search(board, depth).score for depth in range(1, 10)]
    first = next(depth for depth, score in enumerate(scores, start=1) if score > search.win_score(100))
    assert first == 7
    assert scores[first - 1 :] == [search.win_score(first)] * (len(scores) - first + 1)


def test_quiescence_does_not_stop_in_the_middle_of_an_exchange() -> None:
    board = arena.Board.from_fen("B:W18,19,27:B9,10,6,2")
    blind = {str(line.move) for line in Search(Material(), quiescence=False)(board, 1).best}
    sharp = {str(line.move) for line in Search(Material())(board, 1).best}
    assert "10-15" in blind
    assert "10-15" not in sharp


@pytest.mark.parametrize("error", [ValueError("lost"), KeyboardInterrupt(), SystemExit(3)], ids=repr)
def test_what_a_python_evaluator_raises_comes_out(error: BaseException) -> None:
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
def test_a_value_beyond_the_range_is_an_error(value: float) -> None:
    class Wild(arena.Evaluator):
        def evaluate(self, board: arena.Board) -> float:  # noqa: ARG002
            return value

    with pytest.raises(arena.ArenaError, match="values lie within ±1000"):
        Search(Wild())(arena.Board.start(), 1)


@pytest.mark.parametrize("depth", [0, -1, 65])
def test_a_depth_beyond_the_range_is_refused(depth: int) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        Search(Material())(arena.Board.start(), depth)


def test_a_lost_board_cannot_be_searched() -> None:
    with pytest.raises(ValueError, match="no move to search"):
        Search(Material())(arena.Board.from_fen("B:W5:B"), 1)
