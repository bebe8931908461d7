"""Fixtures for tests with faulty players, and a whole tournament between some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from faulty import fork_server, notes
from launchers import module_launcher, shared_launcher
from tournaments import tournament

if TYPE_CHECKING:
    from pathlib import Path

    from launchers import SharedLauncher

__all__ = ["fork_server", "module_launcher", "notes", "shared_launcher"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, notes: Path, module_launcher: SharedLauncher) -> Path:  # noqa: ARG001 (installs the players)
    """The database of a tournament that was not interrupted."""
    return tournament(tmp_path_factory.mktemp("whole") / "arena.sqlite")
