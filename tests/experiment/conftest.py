"""A small experiment, a database, and one fork server for each file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from experimenting import experiment, tiny
from launchers import module_launcher, shared_launcher

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["experiment", "module_launcher", "shared_launcher", "tiny"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database that does not exist yet."""
    return tmp_path / "arena.sqlite"
