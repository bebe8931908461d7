"""A small experiment, and a client of a server that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from experimenting import experiment, tiny
from serving import client_of

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.testclient import TestClient

__all__ = ["experiment", "tiny"]


@pytest.fixture
def client(experiment: Path) -> TestClient:
    """A client of a server that shows the small experiment."""
    return client_of(experiment)
