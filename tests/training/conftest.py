"""A plugin with a small learner, and a database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.plugins import registry
from arena.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGINS = Path(__file__).parent / "plugins"


@pytest.fixture
def tiny() -> Iterator[None]:
    """Registers the learners and the player of ``arena_tiny``."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGINS)
        registry.load.cache_clear()
        yield
    registry.load.cache_clear()
    sys.modules.pop("arena_tiny", None)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database that does not exist yet."""
    return tmp_path / "arena.sqlite"


@pytest.fixture
def store(db: Path) -> Iterator[Store]:
    with Store.open(db) as store:
        yield store
