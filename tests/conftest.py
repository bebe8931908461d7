"""Settings for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)  # where it is ignored, child processes would inherit that
settings.register_profile("arena", deadline=None, derandomize=True)
settings.load_profile("arena")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data that the environment variable ``ARENA_DATA`` names."""
    folder = os.environ.get("ARENA_DATA")
    if not folder:
        pytest.skip("ARENA_DATA names no folder of real data")
    return Path(folder).resolve()
