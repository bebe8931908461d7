"""The endgame tables, which all pages share."""

from __future__ import annotations

import threading
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.search.tablebase import Tablebase

_lock = threading.Lock()


def tables() -> Tablebase:
    """Return the endgame tables. The first call reads them, and builds missing ones, which takes seconds."""
    with _lock:
        return _opened()


@cache
def _opened() -> Tablebase:
    from arena.search.tablebase import Tablebase

    return Tablebase.open()
