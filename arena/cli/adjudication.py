"""What decides a game before its end, as ``--adjudicate`` has it: ``tables:5,scores:30:plies=6``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from arena.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.adjudication import AgreedScores

_TABLES = {"tables": 4, "tables:2": 2, "tables:3": 3, "tables:4": 4, "tables:5": 5, "tables:6": 6}
_WAYS = "tables or tables:2 to tables:6, by scores:T or scores:T:plies=8, or by one of each with a comma between"
_SCORES = re.compile(r"scores:(?P<threshold>\d+(\.\d*)?(e[+-]?\d+)?)(:plies=(?P<plies>\d+))?")


def read(text: str | None, players: Mapping[str, float]) -> dict[str, Any]:
    """The settings ``tables`` and ``scores`` of a tournament; ``players`` are thresholds of their own.

    Raises UsageError for anything else.
    """
    tables: int | None = None
    scores: AgreedScores | None = None
    for word in () if text is None else map(str.strip, text.split(",")):
        if word in _TABLES and tables is None:
            tables = _TABLES[word]
        elif (found := _SCORES.fullmatch(word)) and scores is None:
            scores = _agreed(found, players)
        else:
            what = repr(word) if word else f"the empty part of {text!r}"
            raise UsageError(f"games are adjudicated by {_WAYS}, not by {what}")
    if players and scores is None:
        raise UsageError('the table of scores has thresholds that differ from that of adjudicate = "scores:T": add it')
    return {"tables": tables, "scores": scores}


def text(settings: Mapping[str, Any]) -> str | None:
    """The words for a stored tournament's settings; None where its games are played out."""
    words = []
    if settings.get("tables") is not None:
        words.append(f"tables:{settings['tables']}")
    if scores := settings.get("scores"):
        threshold = repr(float(scores["threshold"])).removesuffix(".0")
        words.append(f"scores:{threshold}:plies={scores['plies']}")
    return ",".join(words) or None


def _agreed(found: re.Match[str], players: Mapping[str, float]) -> AgreedScores:
    from arena.adjudication import PLIES, AgreedScores

    return AgreedScores(float(found["threshold"]), int(found["plies"] or PLIES), dict(players))
