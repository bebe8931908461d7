"""The players that a person can choose in the browser."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.contracts.program import Program
from arena.errors import UsageError
from arena.play.setup import parse_player
from arena.plugins.registry import load

if TYPE_CHECKING:
    from arena.plugins.specs import Spec

LONGEST_SPEC = 500
"""Maximum number of characters of a spec."""
_PATH = re.compile(r"[/\\~]|\.py\b")
"""A text that could name a file."""
_LEVELS = (
    ("Random moves", "random"),
    ("Learned: lms", "lms"),
    ("Learned: td", "td"),
    ("Search 2 plies", "minimax:depth=2"),
    ("Search 4 plies", "minimax:depth=4"),
    ("Search 6 plies", "minimax:depth=6"),
    ("Search 8 plies", "minimax:depth=8"),
    ("Search 10 plies", "minimax:depth=10"),
)


@dataclass(frozen=True, slots=True)
class Level:
    """A player that is offered under a plain name."""

    label: str
    spec: str


def levels() -> list[Level]:
    """Return the levels whose players are installed."""
    installed = {player["name"] for player in installed_players()}
    return [Level(label, spec) for label, spec in _LEVELS if spec.partition(":")[0] in installed]


def installed_players() -> list[dict[str, Any]]:
    """Return name, description and options of each installed player that chooses its moves itself, by name.

    Players with an option that has no default, or that takes a command line, are left out.
    """
    return [
        {
            "name": item.name,
            "description": item.description,
            "options": [
                {
                    "name": option.name,
                    "values": option.annotation,
                    "default": option.default,
                    "description": option.description,
                }
                for option in item.options
            ],
        }
        for item in load().all("player")
        if not item.cls.needs_terminal and not any(option.required for option in item.options)
    ]


def checked(text: str, database: str) -> Spec:
    """Return the player of a spec from the browser.

    Such a spec names installed players and stored models only. Files and programs would let a web page run code.

    Raises UsageError and the errors of :func:`arena.plugins.specs.parse`.
    """
    text = text.strip()
    if len(text) > LONGEST_SPEC:
        raise UsageError(f"a spec has at most {LONGEST_SPEC} characters")
    if _PATH.search(text):
        raise UsageError("the page plays installed players and stored models, not files: use arena play for a file")
    spec = parse_player(text, database)
    if _programs(spec):
        raise UsageError("the page starts no programs: use arena play for an external engine")
    return spec


def _programs(spec: Spec) -> bool:
    """Whether an option of a player, or of an evaluator of it, is a program."""
    from arena.plugins.specs import Spec

    values = spec.options.values()
    return any(isinstance(value, Program) or (isinstance(value, Spec) and _programs(value)) for value in values)
