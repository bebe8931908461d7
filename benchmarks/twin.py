"""The C twins of the game, the search and a network: compiled with gcc on first use, and called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import arena

_HERE = Path(__file__).parent
_INT64_POINTER = ctypes.POINTER(ctypes.c_int64)
_TABLE = 1 << 20
"""Entries of the transposition table, the same number as Search uses for deep searches."""
FLAGS = ("-O3", "-march=native")
MLP_FLAGS = ("-O2", "-ftree-vectorize", "-march=native")


def compiler() -> str | None:
    """Return the path of gcc, or None if it is not installed."""
    return shutil.which("gcc")


@cache
def game() -> ctypes.CDLL:
    """Return the library of twin.c, with ``perft``, ``search`` and ``material``."""
    library = _build("twin.c", FLAGS)
    masks = [ctypes.c_uint32] * 3
    library.perft.argtypes = [*masks, ctypes.c_int]
    library.perft.restype = ctypes.c_int64
    library.search.argtypes = [
        *masks,
        *[ctypes.c_int] * 3,
        ctypes.c_int64,
        ctypes.c_void_p,
        ctypes.c_ssize_t,
        _INT64_POINTER,
    ]
    library.search.restype = ctypes.c_int64
    return library


@cache
def mlp() -> ctypes.CDLL:
    """Return the library of mlp.c, with ``evaluate_all``."""
    library = _build("mlp.c", MLP_FLAGS)
    library.evaluate_all.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    library.evaluate_all.restype = ctypes.c_int64
    return library


def material() -> int:
    """Return the address of the C evaluator of material."""
    return ctypes.cast(game().material, ctypes.c_void_p).value or 0


def search(board: arena.Board, depth: int, selective: bool) -> tuple[int, int]:
    """Search like :class:`arena.search.Search` with the material evaluator.

    Returns the number of nodes, and the value in tenths of a man.
    """
    value = ctypes.c_int64()
    nodes = game().search(
        *board.relative, int(board.side), depth, selective, _TABLE, material(), 0, ctypes.byref(value)
    )
    return nodes, value.value


def _build(source: str, flags: tuple[str, ...]) -> ctypes.CDLL:
    with TemporaryDirectory() as folder:
        target = Path(folder, source).with_suffix(".so")
        command = [compiler() or "gcc", *flags, "-shared", "-fPIC", str(_HERE / source), "-o", str(target), "-lm"]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(target))
