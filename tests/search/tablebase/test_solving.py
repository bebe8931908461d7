"""The solver, tested on parts of the largest slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import arena
from arena.search.tablebase import Slice, building
from arena.search.tablebase.indexing import position, subsets
from arena.search.tablebase.solving import prepare

if TYPE_CHECKING:
    from arena.search.tablebase import Tablebase


@pytest.mark.parametrize("which", [(0, 3, 0, 3), (1, 2, 1, 2), (2, 1, 2, 1), (0, 1, 3, 2), (0, 1, 0, 5), (0, 2, 4, 0)])
def test_values_of_6_pieces_agree_with_those_after_captures_of_two(tables: Tablebase, which: tuple[int, ...]) -> None:
    values, open_moves = np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.uint8)
    size, compared = Slice(*which).size, 0
    for i in range(0, size, size // 10_000):
        board = arena.Board(*position(i, *which, subsets()), arena.Side.BLACK)
        if not all(len(move.captures) >= 2 for move in board.legal_moves) or not board.legal_moves:
            continue
        prepare(values, open_moves, -i, i, i + 1, *which, subsets(), tables.context.ctypes.data)
        after = [tables.value(board.after(move)) for move in board.legal_moves]
        best = max((value.before for value in after if value), key=lambda value: value.preference)
        assert values[0] == (0 if best.plies is None else best.plies + 1), board.fen
        assert open_moves[0] == 0
        compared += 1
    assert compared > 20


def test_a_game_too_long_for_a_byte_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "prepare", lambda *_: 256)
    with pytest.raises(OverflowError, match="too long"):
        building.solve([[(Slice(0, 1, 0, 1),)]], 0, lambda *_: None, 1, lambda _: None)
