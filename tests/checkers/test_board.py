"""Board: conversions, moves, immutability."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import example, given

import arena
from positions import boards, games

START = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"


def test_initial_position_and_its_seven_moves() -> None:
    board = arena.Board.start()
    assert board.fen == START
    assert board.side is arena.Side.BLACK
    assert sorted(map(str, board.legal_moves)) == [
        "10-14",
        "10-15",
        "11-15",
        "11-16",
        "12-16",
        "9-13",
        "9-14",
    ]


@given(boards())
def test_fen_round_trip(board: arena.Board) -> None:
    assert arena.Board.from_fen(board.fen) == board


@given(boards())
def test_key_round_trip_gives_the_board_or_its_flipped_board(board: arena.Board) -> None:
    again = arena.Board.from_key(board.key)
    assert again == (board if board.side is arena.Side.BLACK else board.flipped())
    assert board.key == board.flipped().key


@given(boards())
def test_the_key_is_32_digits_in_base_5(board: arena.Board) -> None:
    digits = [board.key // 5**place % 5 for place in reversed(range(32))]
    own, opp, kings = board.relative
    for square, digit in enumerate(digits):
        piece = "own" if own >> square & 1 else "enemy" if opp >> square & 1 else "empty"
        expected = {"empty": 0, "own": 1, "enemy": 3}[piece] + (kings >> square & 1)
        assert digit == expected
    assert board.key < 5**32


@given(boards())
def test_flipping_exchanges_the_colours(board: arena.Board) -> None:
    flipped = board.flipped()
    assert flipped.flipped() == board
    assert flipped.side is board.side.other
    mirrored = {tuple(33 - square for square in move.path) for move in board.legal_moves}
    assert {move.path for move in flipped.legal_moves} == mirrored
    for move in board.legal_moves:
        turned = arena.Move(tuple(33 - square for square in move.path))
        assert flipped.after(turned) == board.after(move).flipped()


@given(boards())
def test_a_move_changes_only_its_origin_destination_and_captures(board: arena.Board) -> None:
    for move in board.legal_moves:
        after = board.after(move)
        assert after.side is board.side.other
        own, opp = (board.black, board.white) if board.side is arena.Side.BLACK else (board.white, board.black)
        own_after, opp_after = (
            (after.black, after.white) if board.side is arena.Side.BLACK else (after.white, after.black)
        )
        captured = sum(1 << square - 1 for square in move.captures)
        assert opp_after == opp & ~captured
        assert captured & ~opp == 0
        assert own_after == own & ~(1 << move.path[0] - 1) | 1 << move.path[-1] - 1
        arena.Board(*after)  # raises ValueError unless it is a position


@given(boards())
def test_a_board_cannot_be_changed(board: arena.Board) -> None:
    before = tuple(board), hash(board), board.legal_moves
    for name in ("black", "white", "kings", "side", "anything"):
        with pytest.raises(AttributeError):
            setattr(board, name, 0)
    for move in board.legal_moves:
        board.after(move)
    board.flipped()
    assert (tuple(board), hash(board), board.legal_moves) == before


@given(games())
def test_boards_with_the_same_content_are_equal(game: arena.Game) -> None:
    board = game.board
    twin = arena.Board(board.black, board.white, board.kings, board.side)
    assert twin == board
    assert hash(twin) == hash(board)
    assert pickle.loads(pickle.dumps(board)) == copy.deepcopy(board) == board
    assert eval(repr(board), {"Board": arena.Board}) == board


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ((1, 1), "both stand on square 1"),
        ((1, 2, 4), "king without a piece on square 3"),
        ((1 << 32, 0), "32-bit"),
        ((-1, 0), "32-bit"),
        ((0x1FFF, 0), "more than 12"),
    ],
)
def test_impossible_masks_are_refused(masks: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        arena.Board(*masks)


def test_the_error_for_an_illegal_move_names_it_and_the_legal_moves() -> None:
    with pytest.raises(arena.IllegalMove, match=r"9x18 is not legal.*9-13"):
        arena.Board.start().after(arena.Move((9, 18)))


def test_a_key_beyond_32_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="32 digits"):
        arena.Board.from_key(5**32)


def test_the_svg_shows_every_piece() -> None:
    svg = arena.Board.from_fen("B:W21,K30:B1,2,K3")._repr_svg_()
    assert svg.startswith("<svg")
    assert svg.count("<circle") == 5 + 2


def test_the_diagram_shows_pieces_and_square_numbers() -> None:
    lines = str(arena.Board.from_fen("B:W21,K30:B1,K8")).splitlines()
    assert lines[0].split() == ["b", ".", ".", ".", "1", "2", "3", "4"]
    assert lines[1].split() == [".", ".", ".", "B", "5", "6", "7", "8"]
    assert lines[5].split()[:4] == ["w", ".", ".", "."]
    assert lines[7].split()[:4] == [".", "W", ".", "."]


@given(boards())
@example(arena.Board.from_fen("B:W9,14:B5"))
@example(arena.Board.from_fen("B:W9,14:B5").flipped())
@example(arena.Board.from_fen("W:W5:BK32"))
@example(arena.Board.from_fen("W:W:B1"))
def test_a_side_is_stuck_when_it_has_no_legal_move(board: arena.Board) -> None:
    stuck = board.stuck  # read before `legal_moves`, which would cache the moves
    assert stuck == (not board.legal_moves)
