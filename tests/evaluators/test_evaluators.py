"""The built-in evaluators agree with their definitions in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena_evaluators.heuristic import Heuristic
from arena_evaluators.linear import Linear, features, features_of, kernel_of, put_weights
from arena_evaluators.material import Material
from arena_evaluators.memory import RoteMemory
from arena_evaluators.rote import BORDER, Rote
from positions import boards

MIDDLE_ROWS = range(9, 25)
"""Squares of the four middle rows."""


def pieces(board: arena.Board, side: arena.Side) -> tuple[list[int], list[int]]:
    """Squares of the men and of the kings of one side."""
    mask = board.black if side is arena.Side.BLACK else board.white
    squares = [square for square in range(1, 33) if mask >> square - 1 & 1]
    kings = [square for square in squares if board.kings >> square - 1 & 1]
    return [square for square in squares if square not in kings], kings


def position(board: arena.Board, side: arena.Side) -> int:
    men, kings = pieces(board, side)
    rows = [(square - 1) // 4 for square in men]
    advanced = rows if side is arena.Side.BLACK else [7 - row for row in rows]
    return sum(advanced) + sum(square in MIDDLE_ROWS for square in kings)


@given(boards())
def test_the_heuristic_is_the_published_formula(board: arena.Board) -> None:
    scores = {}
    for side in arena.Side:
        captured = 12 - sum(map(len, pieces(board, side.other)))
        scores[side] = 10 * captured + 7 * len(pieces(board, side)[1]) + position(board, side)
    assert Heuristic().evaluate(board) == scores[board.side] - scores[board.side.other]


def test_the_start_is_worth_0_and_a_capture_10() -> None:
    assert Heuristic().evaluate(arena.Board.start()) == 0
    assert Heuristic().evaluate(arena.Board.from_fen("W:W21-32:B1-11")) == 10 + 2


@given(boards())
def test_mobility_counts_first_steps(board: arena.Board) -> None:
    def steps(seen: arena.Board) -> int:
        return len({move.path[:2] for move in seen.legal_moves})

    mine, theirs = steps(board), steps(board._replace(side=board.side.other))
    with_mobility = Heuristic(mobility=0.5).evaluate(board)
    assert with_mobility == pytest.approx(Heuristic().evaluate(board) + 0.5 * (mine - theirs))


@given(boards())
def test_material_counts_men_and_kings(board: arena.Board) -> None:
    worth = [len(men) + 1.5 * len(kings) for men, kings in (pieces(board, side) for side in arena.Side)]
    assert Material().evaluate(board) == worth[board.side] - worth[board.side.other]


@given(boards())
def test_lms_features_follow_their_definition(board: arena.Board) -> None:
    for side in arena.Side:
        mine, theirs = pieces(board, side), pieces(board, side.other)
        threatened = {square for move in board._replace(side=side.other).legal_moves for square in move.captures}
        threatening = {square for move in board._replace(side=side).legal_moves for square in move.captures}
        expected = [1, sum(map(len, mine)), sum(map(len, theirs)), len(mine[1]), len(theirs[1])]
        assert features_of(board, side).tolist() == [*expected, len(threatened), len(threatening)]


WEIGHTS = arena.Model("lms", {"weights": np.array([0.5, 1.0, -1.0, 2.0, -0.5, -1.0, 1.5])})


@given(boards(), st.sampled_from([None, *arena.Side]))
def test_the_linear_function_sees_boards_from_the_learners_side(
    board: arena.Board, perspective: arena.Side | None
) -> None:
    learner = board.side if perspective is None else perspective
    value = float(WEIGHTS.tensors["weights"] @ features_of(board, learner))
    sign = 1 if board.side is learner else -1
    assert Linear(WEIGHTS, perspective).evaluate(board) == pytest.approx(sign * value, abs=1e-3)


@given(boards(), st.lists(st.floats(-50, 50), min_size=7, max_size=7), st.sampled_from([None, *arena.Side]))
def test_put_weights_changes_the_weights_of_a_kernel(
    board: arena.Board, weights: list[float], perspective: arena.Side | None
) -> None:
    kernel = kernel_of(perspective, scale=100.0)
    assert kernel.evaluate(board) == 0
    put_weights(kernel, np.array(weights))
    learner = board.side if perspective is None else perspective
    value = float(np.array(weights) @ features_of(board, learner)) * (1 if board.side is learner else -1)
    assert kernel.evaluate(board) == pytest.approx(value, abs=0.4)


def test_values_beyond_the_kernels_range_are_clipped() -> None:
    kernel = kernel_of(None, scale=1.0)
    for weight in (1e9, -1e9):
        put_weights(kernel, np.array([weight, 0, 0, 0, 0, 0, 0]))
        assert kernel.evaluate(arena.Board.start()) == np.sign(weight) * 990_000


@given(boards(), st.booleans())
def test_features_take_every_second_board(board: arena.Board, mirrored: bool) -> None:
    masks = np.array([board.relative, board.flipped().relative, board.relative])
    side = board.side.other if mirrored else board.side
    np.testing.assert_array_equal(features(masks, 0, 3, mirrored), [features_of(board, side)] * 2)
    assert features(masks, 2, 1, mirrored).shape == (0, 7)


def test_the_border_is_the_outer_squares() -> None:
    squares = [square for square in range(1, 33) if BORDER >> square - 1 & 1]
    assert squares == [1, 2, 3, 4, 5, 12, 13, 20, 21, 28, 29, 30, 31, 32]


def rote(total: bool = False, **tensors: np.ndarray) -> arena.Model:
    empty = {"boards": np.zeros((0, 3), np.uint32), "values": np.zeros(0, np.int32), "visits": np.zeros(0, np.uint32)}
    single = {"scale": np.array(2500.0), "total": np.array(int(total)), "capacity": np.array(1000)}
    weights = {"weights": np.array([1.0, 0.5, 0.25]), "tried": np.zeros((0, 3), np.uint32)}
    return arena.Model("td", empty | single | weights | tensors)


def counts(board: arena.Board, side: arena.Side) -> tuple[int, int, int]:
    """Numbers of pieces, kings and border pieces of one side."""
    men, kings = pieces(board, side)
    border = [square for square in (*men, *kings) if BORDER >> square - 1 & 1]
    return len(men) + len(kings), len(kings), len(border)


@given(boards())
def test_the_td_function_is_a_weighted_sum_of_three_differences(board: arena.Board) -> None:
    mine, theirs = counts(board, board.side), counts(board, board.side.other)
    value = np.subtract(mine, theirs) @ [1.0, 0.5, 0.25]
    assert Rote(rote()).evaluate(board) == pytest.approx(value, abs=1e-3)


@given(boards(), st.sampled_from(arena.Side))
def test_the_total_of_the_kings_counts_for_the_learner(board: arena.Board, learner: arena.Side) -> None:
    mine, theirs = counts(board, learner), counts(board, learner.other)
    value = mine[0] - theirs[0] + 0.5 * (mine[1] + theirs[1]) + 0.25 * (mine[2] - theirs[2])
    sign = 1 if board.side is learner else -1
    assert Rote(rote(total=True), perspective=learner).evaluate(board) == pytest.approx(sign * value, abs=1e-3)
    same = Rote(rote(total=True)).evaluate(board)
    assert same == Rote(rote(total=True), perspective=board.side).evaluate(board)


def test_values_of_large_weights_are_clipped() -> None:
    board = arena.Board.from_fen("B:W32:B1-12")
    for weight in (1e9, -1e9):
        value = Rote(rote(weights=np.full(3, weight))).evaluate(board)
        assert value == np.sign(weight) * 360


occupied = boards().filter(lambda board: board.black | board.white)


@given(st.lists(occupied, min_size=1, max_size=60, unique_by=lambda board: board.key), occupied)
def test_boards_met_before_are_recalled(met: list[arena.Board], other: arena.Board) -> None:
    memory = RoteMemory(1000)
    values = np.linspace(-900_000, 900_000, len(met)).astype(np.int64)
    memory.meet(np.array([board.relative for board in met]), values, np.ones(len(met), dtype=bool))
    model = rote(**memory.tensors())
    for board, value in zip(met, values / 2500, strict=True):
        for use, expected in (("both", value), ("rote", value), ("weights", Rote(rote()).evaluate(board))):
            assert Rote(model, use).evaluate(board) == expected
            assert Rote(model, use).evaluate(board.flipped()) == expected
    if other.key not in {board.key for board in met}:
        for use, expected in (("both", Rote(rote()).evaluate(other)), ("rote", 0)):
            assert Rote(model, use).evaluate(other) == expected


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"values": np.zeros(1, np.int32)}, "values of .* has the shape"),
        ({"weights": np.full(3, np.nan)}, "not finite"),
        ({"tried": np.array([[0, 0, 1]], np.uint32)}, "names boards that it does not hold"),
        (
            {
                "boards": np.ones((1, 3), np.uint32),
                "values": np.array([10**6], np.int32),
                "visits": np.ones(1, np.uint32),
            },
            "lie beyond",
        ),
        ({"scale": np.array(0.0)}, "scale"),
        ({"capacity": np.array(0)}, "capacity"),
    ],
)
def test_invalid_models_are_refused(wrong: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(arena.ArenaError, match=message):
        Rote(rote(**wrong)).kernel()


@pytest.mark.parametrize(
    "evaluator",
    [Material(), Heuristic(), Heuristic(mobility=1), Rote(rote())],
    ids=["material", "heuristic", "mobility", "rote"],
)
@pytest.mark.parametrize("seed", range(3))
def test_values_do_not_change_if_the_colours_are_swapped(evaluator: arena.Evaluator, seed: int) -> None:
    from positions import random_game

    for board in random_game(seed).boards:
        assert evaluator.evaluate(board) == evaluator.evaluate(board.flipped())
        turned = board._replace(side=board.side.other)
        assert evaluator.evaluate(turned) == pytest.approx(-evaluator.evaluate(board))
