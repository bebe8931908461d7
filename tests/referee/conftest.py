"""Fixtures of the referee's tests."""

from __future__ import annotations

import pytest

from refereed import Referee


@pytest.fixture
def referee(monkeypatch: pytest.MonkeyPatch) -> Referee:
    return Referee(monkeypatch)
