"""Requests of the play page, as tests make them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.testclient import TestClient

_PATIENCE = 60.0
"""Seconds after which a test fails because the opponent has not moved."""


class WebGame:
    """A game over HTTP."""

    def __init__(self, client: TestClient, **settings: Any) -> None:
        """Begin a game with these settings."""
        self.client = client
        response = client.post("/api/play", json={"against": "random"} | settings)
        assert response.status_code == 201, response.text
        self.state: dict[str, Any] = response.json()
        self.address = f"/api/play/{self.state['id']}"
        self.post("start")
        self.wait()

    def post(self, action: str, **body: Any) -> dict[str, Any]:
        """Send an action that must succeed, and return the answer."""
        response = self.try_(action, **body)
        assert response.status_code == 200, response.text
        answer: dict[str, Any] = response.json()
        return answer

    def try_(self, action: str, **body: Any) -> Any:
        """Send an action and return the response."""
        if action != "start":
            body = {"version": self.state["version"]} | body
        return self.client.post(f"{self.address}/{action}", json=body)

    def current(self) -> dict[str, Any]:
        """Return the state of the game."""
        response = self.client.get(self.address, headers={"Accept": "application/json"})
        assert response.status_code == 200, response.text
        state: dict[str, Any] = response.json()
        return state

    def wait(self) -> dict[str, Any]:
        """Wait until the person is to move or the game is over. Returns the state."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            self.state = self.current()
            if self.state["turn"] != "opponent" and (self.state["started"] or self.state["ending"]):
                return self.state
            time.sleep(0.02)
        raise AssertionError("the opponent does not move")

    def move(self, text: str | None = None) -> dict[str, Any]:
        """Make a move, the first legal one if none is named, and wait for the reply."""
        self.post("move", move=text or "x".join(map(str, self.state["legal"][0]["path"])))
        return self.wait()
