"""Running the real command line."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs ``arena`` with the given words in an empty folder, as a person would."""

    def run(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "arena.cli", *map(str, words)]
        return subprocess.run(command, cwd=tmp_path, input=stdin, capture_output=True, text=True, check=False)

    return run
