"""Adjudication settings as text, for example ``tables:5,scores:30:plies=6``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from arena.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.referee.adjudication import AgreedScores

    Adjudication = tuple[int | None, AgreedScores | None]
    """Largest number of pieces of the endgame tables, and the rule of agreed scores; None: not used."""

_TABLES = {"tables": 4, "tables:2": 2, "tables:3": 3, "tables:4": 4, "tables:5": 5, "tables:6": 6}
_FORMS = "tables, tables:2 to tables:6, scores:T, scores:T:plies=8, or one of each, for example tables,scores:20"
_SCORES = re.compile(r"scores:(?P<threshold>\d+(\.\d*)?(e[+-]?\d+)?)(:plies=(?P<plies>\d{1,9}))?")


def parse(text: str | None, players: Mapping[str, float]) -> Adjudication:
    """Return the adjudication that a text describes. ``players``: thresholds of single players. Raises UsageError."""
    tables: int | None = None
    scores: AgreedScores | None = None
    for word in () if text is None else map(str.strip, text.split(",")):
        if word in _TABLES and tables is None:
            tables = _TABLES[word]
        elif (match := _SCORES.fullmatch(word)) and scores is None:
            scores = _agreed_scores(match, players)
        else:
            part = shown(word) if word else f"the empty part of {shown(text)}"
            raise UsageError(f"games are adjudicated by {_FORMS}, not by {part}")
    if players and scores is None:
        raise UsageError('thresholds of single players in the table scores need a general one: adjudicate = "scores:T"')
    return tables, scores


def write(tables: int | None, threshold: float | None, plies: int | None) -> str | None:
    """Return the canonical text of an adjudication, which :func:`parse` reads, with all numbers, even defaults."""
    words = []
    if tables is not None:
        words.append(f"tables:{tables}")
    if threshold is not None:
        words.append(f"scores:{repr(float(threshold)).removesuffix('.0')}:plies={plies}")
    return ",".join(words) or None


def _agreed_scores(match: re.Match[str], players: Mapping[str, float]) -> AgreedScores:
    from arena.referee.adjudication import PLIES, AgreedScores

    return AgreedScores(float(match["threshold"]), int(match["plies"] or PLIES), dict(players))
