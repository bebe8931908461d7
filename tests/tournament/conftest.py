"""A plugin of faulty players, installed for a test in this process and its workers."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from arena import plugins

if TYPE_CHECKING:
    from collections.abc import Iterator

PLUGINS = Path(__file__).parent / "plugins"


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Makes the players of ``arena_faulty`` known; the folder where they leave notes."""
    folder = tmp_path_factory.mktemp("notes")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGINS)
        patch.setenv("ARENA_FAULTY_NOTES", str(folder))
        plugins.load.cache_clear()
        yield folder
    plugins.load.cache_clear()
    sys.modules.pop("arena_faulty", None)


@pytest.fixture
def no_processes_left() -> Iterator[None]:
    """No process that the test started is left, neither alive nor as a zombie."""
    yield
    if os.name == "posix":
        with pytest.raises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
