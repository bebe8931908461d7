"""Descriptions of options, from the docstring of a constructor.

A description begins with the option's name in double backticks and a colon, at the start of the docstring or after a
full stop or semicolon; it ends where the next one begins. Several options may share one::

    ``depth``: plies to search. ``nodes``, ``seconds``: limits of one move.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

_ENTRY = re.compile(r"(?:^|(?<=[.;:] )|(?<=\n))((?:``\w+``(?:, | and )?)+):\s", re.MULTILINE)
_NAME = re.compile(r"``(\w+)``")


def descriptions(cls: type[Any]) -> dict[str, str]:
    """Return the descriptions in the docstring of the constructor of ``cls``, by parameter; none if it has none."""
    docstring = cls.__init__.__doc__
    text = inspect.cleandoc(docstring) if isinstance(docstring, str) else ""
    entries = list(_ENTRY.finditer(text))
    ends = [*(entry.start() for entry in entries), len(text)][1:] if entries else []
    return {
        name: _plain(text[entry.end() : end])
        for entry, end in zip(entries, ends, strict=True)
        for name in _NAME.findall(entry[1])
    }


def _plain(text: str) -> str:
    """Return a text on one line, without backticks and the full stop."""
    return " ".join(text.replace("``", "").split()).rstrip(".;")
