"""Clients of the web page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.testclient import TestClient

from arena.web.app import create_app
from arena.web.site import Site

if TYPE_CHECKING:
    from pathlib import Path

ORIGIN = "http://localhost:8000"


def client_of(database: Path, **options: Any) -> TestClient:
    """Return a client of a new server for a database; ``options`` are fields of its site."""
    headers = {"Accept": "text/html", "Origin": ORIGIN, "Prefer": "wait"}
    app = create_app(Site(str(database), **options))
    return TestClient(app, base_url=ORIGIN, headers=headers, follow_redirects=False)
