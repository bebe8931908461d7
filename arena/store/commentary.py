"""What people wrote about a game, as the column ``comments`` of a collected game holds it: a line for each board.

Where the move that led to the board is marked, the line is the mark, a tab, and the comment. In PDN a comment is words
with single blanks between them, so that no other line has a tab.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TAB = "\t"


def written(comments: Sequence[str], marks: Sequence[str]) -> str | None:
    """The text for comments, one for each board, and marks, one for each move; None where nothing is said."""
    lines = [
        f"{mark}{_TAB if mark else ''}{' '.join(comment.split())}"
        for comment, mark in zip_longest(comments, ("", *marks), fillvalue="")
    ]
    return "\n".join(lines) if any(lines) else None


def read(text: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The comments and the marks of a text; of either, nothing at all where there is none."""
    parts = [line.rpartition(_TAB) for line in text.split("\n")] if text else []
    comments, marks = tuple(part[2] for part in parts), tuple(part[0] for part in parts[1:])
    return comments if any(comments) else (), marks if any(marks) else ()
