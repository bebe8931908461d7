"""Turns step by step."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.checkers.board import Board
from arena.checkers.move import Move, Side
from arena.checkers.turns import ACTIONS, PLANES, Turn, actions_of, planes_of
from arena.errors import IllegalMove


@st.composite
def boards(draw):
    """A board of a game of random moves."""
    board = Board.start()
    for choice in draw(st.lists(st.integers(0, 11), max_size=80)):
        if not board.legal_moves:
            break
        board = board.after(board.legal_moves[choice % len(board.legal_moves)])
    return board


def test_the_first_actions_are_those_of_seven_quiet_moves():
    turn = Turn(Board.start())
    assert turn.actions == [4 * square + direction for square in (8, 9, 10, 11) for direction in (0, 1)][:-1]
    assert turn.mask.dtype == np.int8
    assert turn.mask.shape == (ACTIONS,)
    assert np.flatnonzero(turn.mask).tolist() == turn.actions


def test_a_capture_of_two_pieces_takes_two_actions():
    board = Board.from_fen("B:B1:W6,15")
    turn = Turn(board)
    [first] = turn.actions
    assert turn.step(first) is None
    assert turn.path == (1, 10)
    [second] = turn.actions
    assert turn.step(second) is Move((1, 10, 19))


def test_both_colours_see_the_same():
    board = Board.from_fen("B:BK1,9:W6,15,K30")
    assert Turn(board).actions == Turn(board.flipped()).actions
    assert np.array_equal(Turn(board).planes, Turn(board.flipped()).planes)


def test_an_illegal_action_changes_nothing():
    turn = Turn(Board.start())
    with pytest.raises(IllegalMove, match=r"action 0 is not legal in .*; legal actions: \[32, 33, "):
        turn.step(0)
    assert turn.path == ()


def test_a_lost_position_has_no_actions():
    assert Turn(Board.from_fen("B:B:W6")).actions == []


@given(boards())
def test_the_actions_of_every_legal_move_make_that_move(board):
    for move in board.legal_moves:
        turn = Turn(board)
        *before, last = actions_of(move, board.side)
        assert all(turn.step(action) is None for action in before)
        assert turn.step(last) is move


@given(boards())
def test_the_planes_hold_the_pieces_where_the_board_draws_them(board):
    planes = planes_of(board, board.side)
    assert planes.shape == PLANES
    counts = planes.sum(axis=(1, 2)).astype(int).tolist()
    men, kings = (board[board.side] & ~board.kings).bit_count(), (board[board.side] & board.kings).bit_count()
    assert counts[:2] == [men, kings]
    rows, columns = np.nonzero(planes.sum(axis=0))
    assert ((rows + columns) % 2 == 1).all()  # only dark squares
    assert np.array_equal(planes, planes_of(board.flipped(), board.side.other))


def test_the_moving_piece_stands_where_it_has_jumped_to_and_the_jumped_piece_is_gone():
    turn = Turn(Board.from_fen("W:WK26:B22,14"))
    while len(turn.path) < 2:
        assert turn.step(turn.actions[0]) is None
    planes = turn.planes
    assert planes.sum(axis=(1, 2)).tolist() == [0, 1, 1, 0, 1]
    assert np.array_equal(planes[1], planes[4])
    other = planes_of(turn.board, Side.BLACK, turn.path)
    assert other.sum(axis=(1, 2)).tolist() == [1, 0, 0, 1, 1]
