"""A turn marker that two processes see."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

from arena.marker import WORDS, TurnMarker

if TYPE_CHECKING:
    from pathlib import Path

_SIZE = 8 * WORDS


class SharedMarker(TurnMarker):
    """A turn marker in a small file that two processes map into memory: the worker writes, the arena reads."""

    def __init__(self, path: Path) -> None:
        """Maps the file at ``path``, and makes it first where there is none."""
        if not path.exists():
            path.write_bytes(bytes(_SIZE))
        with path.open("r+b") as file:
            self._file = mmap.mmap(file.fileno(), _SIZE)
        self._map(self._file)
        self.turn(None)

    def close(self) -> None:
        """Unmap the file."""
        self.forget()
        self._file.close()
