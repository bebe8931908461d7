"""Tables for tests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from arena.search.tablebase import Tablebase, files, groups

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the tables of :func:`tables` are."""
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="session")
def tables(folder: Path) -> Tablebase:
    """Freshly built tables of 2 to 4 pieces."""
    return Tablebase.open(4, folder, threads=2)


@pytest.fixture(scope="session")
def five(folder: Path, tables: Tablebase) -> Tablebase:  # noqa: ARG001 (built first, and built on)
    """Freshly built tables of 2 to 5 pieces, where ARENA_SLOW_TESTS is set: that takes a minute and 140 MB."""
    _only_if_slow()
    return Tablebase.open(5, folder)


@pytest.fixture(scope="session")
def six() -> Tablebase:
    """The tables of 2 to 6 pieces of this machine, where ARENA_SLOW_TESTS is set and somebody has built them."""
    _only_if_slow()
    if not all(files.path_of(group, files.default_folder()).exists() for group in groups(6)):
        pytest.skip("the tables of 6 pieces are not there; make them: arena tablebase build --pieces 6")
    return Tablebase.load(6)


def _only_if_slow() -> None:
    if not os.environ.get("ARENA_SLOW_TESTS"):
        pytest.skip("ARENA_SLOW_TESTS asks for no slow tests")
