"""Fixtures with endgame tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from arena.search.tablebase import Tablebase, files, groups

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the tables of :func:`tables`."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def tables(folder: Path) -> Tablebase:
    """Freshly built tables of 2 to 4 pieces."""
    return Tablebase.open(4, folder, threads=2)


@pytest.fixture(scope="session")
def five(folder: Path, tables: Tablebase) -> Tablebase:  # noqa: ARG001 (must be built first)
    """Freshly built tables of 2 to 5 pieces, which take a minute and 140 MB; needs ARENA_SLOW_TESTS."""
    _only_if_slow()
    return Tablebase.open(5, folder)


@pytest.fixture(scope="session")
def six() -> Tablebase:
    """The tables of 2 to 6 pieces in the user's cache, if they exist there; needs ARENA_SLOW_TESTS."""
    _only_if_slow()
    if not all(files.path_of(group, files.default_folder()).exists() for group in groups(6)):
        pytest.skip("there are no tables of 6 pieces; build them: arena tablebase build --pieces 6")
    return Tablebase.load(6)


def _only_if_slow() -> None:
    if not os.environ.get("ARENA_SLOW_TESTS"):
        pytest.skip("ARENA_SLOW_TESTS is not set")
