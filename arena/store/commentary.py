"""Encoding of comments and marks of a game in the column ``comments`` of ``collected_games``.

The text has one line per board, the first board included. If the move that led to the board has a mark (``!``, ``?``,
...), the line is the mark, a tab and the comment. Otherwise it is the comment alone. A comment has single blanks
between its words, and no other white space.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAB = "\t"


def written(comments: Sequence[str], marks: Sequence[str]) -> str | None:
    """Encode the comments on the boards and the marks of the moves. Returns None if all are empty."""
    lines = [
        f"{mark}{_TAB if mark else ''}{' '.join(comment.split())}"
        for comment, mark in zip_longest(comments, ("", *marks), fillvalue="")
    ]
    return "\n".join(lines) if any(lines) else None


def read(text: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Decode a text into comments, one per board, and marks, one per move.

    Either is an empty tuple if it has no text.
    """
    parts = [line.rpartition(_TAB) for line in text.split("\n")] if text else []
    comments, marks = tuple(part[2] for part in parts), tuple(part[0] for part in parts[1:])
    return comments if any(comments) else (), marks if any(marks) else ()
