"""The rote memory."""

from __future__ import annotations

import numpy as np
import pytest

from arena_evaluators.memory import RoteMemory
from positions import random_game


def filled(games: int) -> tuple[RoteMemory, list[list]]:
    memory = RoteMemory()
    played = [list(random_game(seed).boards) for seed in range(games)]
    for boards in played:
        for before, board in zip([None, *boards], boards, strict=False):
            memory.meet(board, float(board.black.bit_count()), before)
    return memory, played


def test_it_counts_visits_and_what_was_reached() -> None:
    memory, played = filled(30)
    start = played[0][0]
    assert memory.visits(start) == 30
    assert sum(memory.reached(start).values()) == 30
    first = played[0][1]
    assert memory.reached(start)[first.relative] == sum(boards[1] == first for boards in played)
    assert len(memory) == len({board.key for boards in played for board in boards})


def test_a_board_and_its_mirror_image_are_one() -> None:
    memory = RoteMemory()
    board = random_game(1, 9).board
    memory.meet(board, 1.0, None)
    memory.meet(board.flipped(), 2.0, None)
    assert (len(memory), memory.visits(board), memory.value(board)) == (1, 2, 2.0)
    assert board.flipped() in memory


def test_a_board_never_met() -> None:
    board = random_game(1, 9).board
    assert board not in RoteMemory()
    assert RoteMemory().visits(board) == 0
    with pytest.raises(KeyError):
        RoteMemory().value(board)


def test_it_survives_being_written_and_read() -> None:
    memory, played = filled(40)
    again = RoteMemory.from_tensors(memory.tensors())
    for name, tensor in memory.tensors().items():
        assert np.array_equal(again.tensors()[name], tensor), name
    again.meet(played[0][0], 0.0, None)
    assert again.visits(played[0][0]) == 41


def test_it_keeps_the_boards_met_most_often() -> None:
    memory, played = filled(40)
    kept = memory.most_visited(100)
    assert len(kept) == 100
    counts = sorted((memory.visits(board) for board in {b.key: b for p in played for b in p}.values()), reverse=True)
    assert sorted(kept.tensors()["visits"].tolist(), reverse=True) == counts[:100]
    for start, to, count in kept.tensors()["links"].tolist():
        assert start < 100
        assert to < 100
        assert count >= 1
    start = played[0][0]
    assert kept.value(start) == memory.value(start)
    assert kept.reached(start).items() <= memory.reached(start).items()
