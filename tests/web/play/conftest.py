"""Fixtures of tests of the play page: a client of a server with an empty database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from arena.store import Store
from playing import opponent
from serving import client_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from starlette.testclient import TestClient

__all__ = ["opponent"]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """An empty database."""
    path = tmp_path / "arena.sqlite"
    with Store.open(path) as store:
        store.people.saved()
    return path


@pytest.fixture
def client(database: Path) -> Iterator[TestClient]:
    with client_of(database) as client:
        client.headers["Accept"] = "application/json"
        yield client
