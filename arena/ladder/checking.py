"""Checks of hand-ins against the contract of players. Their results are kept beside the copy of the hand-in."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from arena.conformance import Settings
from arena.conformance.separate import Checks, Component

if TYPE_CHECKING:
    from pathlib import Path

    from arena.ladder.collecting import HandIn
    from arena.supervised import Supervisor

_SECONDS = 10.0
"""Seconds after which a check looks at no further positions or moves."""
_TIMEOUT = 60.0
"""Seconds that a check may take, besides several moves of the longest time allowed."""


class CheckResult(msgspec.Struct, frozen=True):
    """The result of a check."""

    check: str
    title: str
    """What holds if the check passes."""
    status: str
    """``ok``, ``failed`` or ``skipped``."""
    text: str
    """A remark, what is wrong, or the reason for skipping the check."""


def results(
    hand_in: HandIn, supervisor: Supervisor, *, positions: int, move_timeout: float, memory: int
) -> list[CheckResult]:
    """Return the results of all checks of a hand-in; none if it cannot take part, or without ``positions``."""
    if hand_in.player is None or not positions:
        return []
    # The file is outside the copy, which must stay as it was handed in.
    file = hand_in.folder.with_name(f"{hand_in.digest}-{positions}.json")
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(file.read_bytes(), type=list[CheckResult])
    settings = Settings(positions, _SECONDS, move_timeout=move_timeout, memory=memory)
    checks = Checks(supervisor, settings, _TIMEOUT + 4 * move_timeout)
    spec = hand_in.player
    component = Component(
        "player", spec.text, spec.registered.origin, {each.name: each.path for each in spec.files}, ""
    )
    found = [
        CheckResult(each.check.name, each.check.title, each.status, each.text) for each in checks.results(component)
    ]
    _write(file, msgspec.json.format(msgspec.json.encode(found), indent=1))
    return found


def _write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
