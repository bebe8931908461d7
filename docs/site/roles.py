"""An extension of Griffe: docstrings as Markdown, without the roles of reStructuredText."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:attr|class|data|func|meth|mod|exc):`([^`]+)`")


class Roles(griffe.Extension):
    """Writes ``:meth:`arena.Board.after``` as ``Board.after`` in code letters."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = ROLE.sub(lambda role: f"`{role[1].removeprefix('~')}`", obj.docstring.value)
