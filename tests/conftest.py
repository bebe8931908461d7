"""Settings and fixtures for all tests."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from servers import Server

signal.signal(signal.SIGINT, signal.default_int_handler)  # an ignored SIGINT would be inherited by child processes
os.environ.pop("COLUMNS", None)  # output is captured, and so has no width
settings.register_profile("arena", deadline=None, derandomize=True)
settings.load_profile("arena")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real games and oracle tables given by the environment variable ``ARENA_DATA``."""
    folder = os.environ.get("ARENA_DATA")
    if not folder:
        pytest.skip("the environment variable ARENA_DATA is not set")
    return Path(folder).resolve()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server. See :mod:`servers`."""
    from servers import server

    with server() as running:
        yield running
