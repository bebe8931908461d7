"""A plugin with a small learner, and a database."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGINS = Path(__file__).parents[1] / "training" / "plugins"


@pytest.fixture(scope="session")
def tiny() -> Iterator[None]:
    """Makes the learners and the player of ``arena_tiny`` known, here and in processes that are started."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGINS)
        known = os.environ.get("PYTHONPATH", "")
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, (str(PLUGINS), known))))
        registry.load.cache_clear()
        yield
    registry.load.cache_clear()
    sys.modules.pop("arena_tiny", None)


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A database that does not exist yet."""
    return tmp_path / "arena.sqlite"
