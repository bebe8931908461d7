"""The C twin walks the trees that it is measured on, node by node."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import arena
from arena.search import Search
from arena_evaluators.material import Material

if TYPE_CHECKING:
    from types import ModuleType

POSITIONS = [
    "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "W:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
    "B:WK7,K14,25:BK1,K31,5",
]


@pytest.fixture(scope="module")
def twin() -> ModuleType:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2]))
        from benchmarks import twin

        return twin


@pytest.mark.parametrize("fen", POSITIONS)
def test_it_counts_the_same_paths(twin: ModuleType, fen: str) -> None:
    board = arena.Board.from_fen(fen)
    for depth in range(1, 8):
        assert twin.game().perft(*board.relative, depth) == arena.perft(board, depth)


@pytest.mark.parametrize("selective", [False, True])
@pytest.mark.parametrize("fen", POSITIONS)
def test_it_searches_the_same_tree(twin: ModuleType, fen: str, selective: bool) -> None:
    board = arena.Board.from_fen(fen)
    result = Search(Material(), selective=selective)(board, depth=9)
    assert twin.search(board, 9, selective) == (result.nodes, result.score * 10)
