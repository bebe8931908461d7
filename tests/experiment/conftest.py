"""A plugin with a small learner, and a database."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena import library, plugins
from arena.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGINS = Path(__file__).parent / "plugins"


@pytest.fixture
def tiny() -> Iterator[None]:
    """Makes the learners and the player of ``arena_tiny`` known."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGINS)
        plugins.load.cache_clear()
        yield
    plugins.load.cache_clear()
    sys.modules.pop("arena_tiny", None)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Path]:
    """Where names are looked up."""
    before, path = library.location(), tmp_path / "arena.sqlite"
    library.use(path)
    yield path
    library.use(before)


@pytest.fixture
def store(db: Path) -> Iterator[Store]:
    with Store.open(db) as store:
        yield store
