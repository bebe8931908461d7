"""Edge cases of captures, and agreement with an independent library."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from draughts import Board as PyDraughtsBoard

import arena
from positions import random_game

CASES = json.loads((Path(__file__).parents[1] / "data" / "captures.json").read_text())
PROPERTY = {
    "crown_stops_capture": lambda board, move: _crowned(board, move) and _could_go_on_as_king(board, move),
    "returns_to_origin": lambda _, move: move.path[0] == move.path[-1],
    "ambiguous_from_to": lambda board, move: any(
        other is not move
        and (other.path[0], other.path[-1]) == (move.path[0], move.path[-1])
        and board.after(other) != board.after(move)
        for other in board.legal_moves
    ),
}


def _crowned(board: arena.Board, move: arena.Move) -> bool:
    was_king = board.kings >> move.path[0] - 1 & 1
    return not was_king and bool(board.after(move).kings >> move.path[-1] - 1 & 1)


def _could_go_on_as_king(board: arena.Board, move: arena.Move) -> bool:
    after = board.after(move)._replace(side=board.side)
    return any(other.captures and other.path[0] == move.path[-1] for other in after.legal_moves)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']} {case['fen']}")
def test_edge_cases_have_the_published_number_of_moves(case: dict) -> None:
    board = arena.Board.from_fen(case["fen"])
    assert len(board.legal_moves) == case["legal_moves"]
    assert all(move.captures for move in board.legal_moves)
    if case["kind"] == "four_plus":
        assert max(len(move.captures) for move in board.legal_moves) == case["own_number"]
    elif case["kind"] == "dup_same_captures":
        ends = Counter((move.path[0], move.path[-1]) for move in board.legal_moves)
        assert max(ends.values()) == case["own_number"]
        assert len({board.after(move) for move in board.legal_moves}) < len(board.legal_moves)
    else:
        holds = PROPERTY[case["kind"]]
        assert sum(holds(board, move) for move in board.legal_moves) == case["own_number"]


def test_legal_moves_agree_with_pydraughts_on_random_games() -> None:
    """More than 10,000 different positions: all with a capture, and every tenth without one."""
    seen: dict[arena.Board, None] = {}
    seed = 0
    while len(seen) < 10_000:
        seen.update(dict.fromkeys(random_game(seed).boards))
        seed += 1
    captures = [board for board in seen if any(move.captures for move in board.legal_moves)]
    others = [board for board in seen if not any(move.captures for move in board.legal_moves)]
    assert len(captures) > 2_000
    for board in captures + others[::10]:
        expected = PyDraughtsBoard(variant="english", fen=board.fen).legal_moves()
        assert {move.path for move in board.legal_moves} == {tuple(move.steps_move) for move in expected}, board


def test_a_king_may_end_a_capture_on_its_origin() -> None:
    board = arena.Board.from_fen("B:W15,16,K23,24:BK27")
    routes = {str(move) for move in board.legal_moves}
    assert routes == {"27x20x11x18x27", "27x18x11x20x27"}
    after = board.after(board.legal_moves[0])
    assert after.fen == "W:W:BK27"
    assert after.legal_moves == ()


def test_capturing_is_compulsory_and_any_capture_may_be_chosen() -> None:
    board = arena.Board.from_fen("B:W14,15,22:B10,11,1")
    assert {str(move) for move in board.legal_moves} == {"10x17x26", "10x19", "11x18x25"}


def test_a_piece_is_jumped_only_once() -> None:
    board = arena.Board.from_fen("W:WK18:B14,15,22,23")
    assert all(len(set(move.captures)) == len(move.captures) for move in board.legal_moves)
    assert max(len(move.captures) for move in board.legal_moves) == 1


def test_the_longest_possible_capture_takes_nine_pieces() -> None:
    board = arena.Board.from_fen("W:WK1:B6,7,8,14,15,16,22,23,24")
    assert max(len(move.captures) for move in board.legal_moves) == 9
