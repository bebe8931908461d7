"""The search calls evaluators by address: compiled by Numba or a C compiler, made by ctypes, or in plain Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from typing import TYPE_CHECKING

import numba
import numpy as np
import pytest

import arena
from arena.contracts.evaluator import KERNEL_TYPE
from arena.search import Search
from arena.search.evaluation import call_evaluator
from arena_evaluators.material import Material
from positions import random_game

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

C_SOURCE = """
#include <stdint.h>

int32_t evaluate(uint32_t own, uint32_t opp, uint32_t kings, int32_t side, intptr_t context) {
    const int64_t *worth = (const int64_t *)context;
    int men = __builtin_popcount(own) - __builtin_popcount(opp);
    int crowned = __builtin_popcount(own & kings) - __builtin_popcount(opp & kings);
    return (int32_t)(worth[0] * men + worth[1] * crowned);
}
"""
WORTH = np.array([10, 5])
"""Value of a man, and the additional value of a king, in tenths of a man; the same as those of ``Material``."""


class ByAddress(arena.Evaluator):
    """Material, computed by the C function at an address."""

    def __init__(self, address: int, keepalive: object) -> None:
        self.address = address
        self.keepalive = keepalive

    def evaluate(self, board: arena.Board) -> float:
        return self.kernel().evaluate(board)

    def kernel(self) -> arena.Kernel:
        return arena.Kernel(self.address, WORTH, scale=10, keepalive=self.keepalive)


def by_c_compiler(folder: Path) -> arena.Evaluator:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / "material.c").write_text(C_SOURCE, encoding="utf-8")
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", "material.so", "material.c"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    library = ctypes.CDLL(str(folder / "material.so"))
    return ByAddress(ctypes.cast(library.evaluate, ctypes.c_void_p).value or 0, library)


def by_ctypes(_: Path) -> arena.Evaluator:
    def evaluate(own: int, opp: int, kings: int, side: int, context: int) -> int:  # noqa: ARG001  (the ABI)
        man, crown = ctypes.cast(context, ctypes.POINTER(ctypes.c_int64))[:2]
        men = own.bit_count() - opp.bit_count()
        return man * men + crown * ((own & kings).bit_count() - (opp & kings).bit_count())

    callback = KERNEL_TYPE(evaluate)
    return ByAddress(ctypes.cast(callback, ctypes.c_void_p).value or 0, callback)


class InPython(arena.Evaluator):
    """Material in plain Python."""

    def evaluate(self, board: arena.Board) -> float:
        own, opp, kings = board.relative
        men = own.bit_count() - opp.bit_count()
        return men + 0.5 * ((own & kings).bit_count() - (opp & kings).bit_count())


def in_python(_: Path) -> arena.Evaluator:
    return InPython()


@pytest.mark.parametrize("create", [by_c_compiler, by_ctypes, in_python], ids=lambda create: create.__name__)
def test_every_kind_of_evaluator_gives_the_same_search(
    create: Callable[[Path], arena.Evaluator], tmp_path: Path
) -> None:
    evaluator = create(tmp_path)
    boards = [board for seed in range(4) for board in random_game(seed).boards[::9] if board.legal_moves]
    assert any(board.kings for board in boards)
    for board in boards:
        assert evaluator.evaluate(board) == Material().evaluate(board)
        result, expected = Search(evaluator)(board, 4), Search(Material())(board, 4)
        if abs(expected.score) < 100:  # the score of a forced win or loss depends on the evaluator's scale
            assert result.score == expected.score
        assert (result.move, result.depth, result.pv) == (expected.move, expected.depth, expected.pv)


@numba.njit
def _call(address: int, own: int, opp: int, kings: int, side: int, context: int) -> int:
    return call_evaluator(address, own, opp, kings, side, context)


@pytest.mark.parametrize("value", [-999_999, -1, 0, 999_999])
def test_arguments_and_value_of_an_evaluator_are_passed_unchanged(value: int) -> None:
    calls = []

    def evaluate(*arguments: int) -> int:
        calls.append(arguments)
        return value

    callback = KERNEL_TYPE(evaluate)
    address = ctypes.cast(callback, ctypes.c_void_p).value or 0
    arguments = 0xFFFFFFFF, 0x80000001, 0, 1, -(2**62)
    assert _call(address, *arguments) == value
    assert calls == [arguments]
