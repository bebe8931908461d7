"""The rote memory agrees with a dictionary."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena_evaluators.memory import BUCKET, RoteMemory
from positions import boards, random_game

Masks = tuple[int, int, int]


def meet(memory: RoteMemory, game: list[arena.Board], value: int = 0) -> None:
    masks = np.array([board.relative for board in game], dtype=np.int64)
    values = np.arange(len(game)) + value
    memory.meet(masks, values, np.ones(len(game), dtype=bool))


@pytest.fixture(scope="module")
def games() -> list[list[arena.Board]]:
    return [list(random_game(seed).boards) for seed in range(40)]


@pytest.fixture(scope="module")
def memory(games: list[list[arena.Board]]) -> RoteMemory:
    memory = RoteMemory(100_000)
    for number, game in enumerate(games):
        meet(memory, game, 1000 * number)
    return memory


def test_memory_counts_visits_and_keeps_the_last_value(memory: RoteMemory, games: list[list[arena.Board]]) -> None:
    visits = Counter(board.relative for game in games for board in game)
    values = {board.relative: 1000 * i + ply for i, game in enumerate(games) for ply, board in enumerate(game)}
    assert len(memory) == len(visits)
    for board in {board.relative: board for game in games for board in game}.values():
        assert (memory.visits(board), memory.value(board)) == (visits[board.relative], values[board.relative])


def test_memory_counts_the_boards_reached(memory: RoteMemory, games: list[list[arena.Board]]) -> None:
    reached: dict[Masks, Counter[Masks]] = {}
    for game in games:
        for board, after in pairwise(game):
            reached.setdefault(board.relative, Counter())[after.relative] += 1
    for game in games:
        for board in game[:-1]:
            assert {after.relative: n for after, n in memory.reached(board).items()} == reached[board.relative]
    assert sum(memory.reached(arena.Board.start()).values()) == len(games)


def test_visits_of_counts_many_boards() -> None:
    memory = RoteMemory(1000)
    start, *_ = game = list(random_game(1, 6).boards)
    meet(memory, [start, *game])
    masks = np.array([board.relative for board in [*game, random_game(2, 50).board]])
    assert memory.visits_of(masks).tolist() == [2, 1, 1, 1, 1, 1, 1, 1]


def test_a_board_and_its_flipped_board_share_an_entry() -> None:
    memory = RoteMemory(100)
    board = random_game(1, 9).board
    meet(memory, [board], 1)
    meet(memory, [board.flipped()], 2)
    assert (len(memory), memory.visits(board), memory.value(board)) == (1, 2, 2)
    assert board.flipped() in memory


def test_an_unknown_board_has_no_visits_and_no_value() -> None:
    board, memory = random_game(1, 9).board, RoteMemory(100)
    assert board not in memory
    assert memory.visits(board) == 0
    assert memory.reached(board) == {}
    with pytest.raises(KeyError):
        memory.value(board)


def test_unknown_values_are_stored_only_for_new_boards() -> None:
    memory, masks = RoteMemory(100), np.array([arena.Board.start().relative])
    for value, known, expected in ((5, False, 5), (6, False, 5), (-7, True, -7), (8, False, -7)):
        memory.meet(masks, np.array([value]), np.array([known]))
        assert memory.value(arena.Board.start()) == expected


@pytest.mark.parametrize("capacity", [1, 100, 1000])
def test_memory_does_not_exceed_its_capacity(capacity: int, games: list[list[arena.Board]]) -> None:
    memory = RoteMemory(capacity)
    for game in games:
        meet(memory, game)
    assert 0.9 * capacity < len(memory) <= BUCKET * -(-capacity // BUCKET)


@given(st.lists(st.integers(0, 11), max_size=60))
def test_a_new_board_replaces_the_least_and_least_recently_visited(order: list[int]) -> None:
    """Compares a memory of one bucket with the rule in plain Python."""
    memory, known = RoteMemory(BUCKET), [random_game(seed, 12).board for seed in range(12)]
    held: dict[int, tuple[int, int]] = {}
    for now, index in enumerate(order):
        meet(memory, [known[index]], index)
        if index not in held and len(held) == BUCKET:
            del held[min(held, key=lambda other: held[other])]
        held[index] = held.get(index, (0, 0))[0] + 1, now
    assert {i for i in range(12) if known[i] in memory} == set(held)
    assert all((memory.visits(known[i]), memory.value(known[i])) == (held[i][0], i) for i in held)


@pytest.mark.parametrize("capacity", [64, 100_000])
def test_a_restored_memory_behaves_like_the_original(capacity: int, games: list[list[arena.Board]]) -> None:
    memory = RoteMemory(capacity)
    for game in games[:20]:
        meet(memory, game)
    again = RoteMemory.of(memory.tensors())
    for game in games[20:]:
        meet(memory, game)
        meet(again, game)
    for name, tensor in memory.tensors().items():
        np.testing.assert_array_equal(again.tensors()[name], tensor)


def test_a_smaller_memory_keeps_the_most_visited_boards(memory: RoteMemory) -> None:
    small = RoteMemory.of(memory.tensors(), 200)
    assert 150 < len(small) <= 200
    assert small.visits(arena.Board.start()) == 40
    assert small.reached(arena.Board.start()) == memory.reached(arena.Board.start())
    tensors = memory.tensors()
    often = [arena.Board(*masks) for masks in tensors["boards"][tensors["visits"] > 2].tolist()]
    assert len(often) > 10
    assert all(small.visits(board) == memory.visits(board) for board in often)


def test_lines_name_each_board_and_the_boards_reached_from_it(
    memory: RoteMemory, games: list[list[arena.Board]]
) -> None:
    read = {}
    for line in memory.lines():
        board, _, reached = line.partition(" :")
        assert len(board) == 32
        read[int(board, 5)] = [int(digits, 5) for digits in reached.replace(",", " ").split()]
    assert len(read) == len(memory)
    for game in games:
        for board, after in pairwise(game):
            assert after.key in read[board.key]
            assert len(read[board.key]) == len(memory.reached(board))


def test_lines_can_name_all_reachable_boards(memory: RoteMemory) -> None:
    start = arena.Board.start()
    [line] = [line for line in memory.lines("reachable") if line.startswith("1" * 12 + "0" * 8 + "3" * 12)]
    assert [int(digits, 5) for digits in line.split(" : ")[1].split(", ")] == [
        start.after(move).key for move in start.legal_moves
    ]


@given(boards())
def test_keys_identify_boards_up_to_flipping(board: arena.Board) -> None:
    assert arena.Board.from_key(board.key) in (board, board.flipped())
    assert board.flipped().key == board.key < 5**32
