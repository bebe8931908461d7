"""Moves."""

from __future__ import annotations

import copy
import pickle

import pytest

import arena


def test_a_move_has_its_captures_and_text() -> None:
    move = arena.Move((27, 20, 11, 18, 27))
    assert move.captures == (24, 16, 15, 23)
    assert str(move) == "27x20x11x18x27"
    assert arena.Move((9, 13)).captures == ()
    assert str(arena.Move((9, 13))) == "9-13"


def test_there_is_one_object_for_each_path() -> None:
    move = arena.Move((9, 14))
    assert arena.Move((9, 14)) is move
    assert next(legal for legal in arena.Board.start().legal_moves if legal.path == (9, 14)) is move
    assert pickle.loads(pickle.dumps(move)) is copy.deepcopy(move) is move


def test_a_subclass_returns_the_same_move_objects() -> None:
    class Own(arena.Move):
        pass

    path = (3, 8)
    assert type(Own(path)) is arena.Move
    assert Own(path) is arena.Move(path)


def test_a_move_cannot_be_changed() -> None:
    move = arena.Move((9, 14))
    with pytest.raises(AttributeError):
        move.path = (9, 13)
    with pytest.raises(AttributeError):
        del move.captures


@pytest.mark.parametrize(
    "path", [(), (1,), (1, 2), (9, 16), (0, 4), (29, 33), (1, 10, 19, 3), (9, 14, 18), (9, 18, 9)], ids=str
)
def test_a_path_that_no_piece_can_take_is_refused(path: tuple[int, ...]) -> None:
    with pytest.raises(arena.IllegalMove, match="no piece can move"):
        arena.Move(path)
