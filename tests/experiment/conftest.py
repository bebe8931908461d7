"""A small experiment, and a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from experimenting import experiment, tiny

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["experiment", "tiny"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database that does not exist yet."""
    return tmp_path / "arena.sqlite"
