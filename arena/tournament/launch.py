"""How the interpreters are begun that a tournament runs in: what who begins one and who runs in it must agree on.

It imports next to nothing, so that an interpreter can be begun before its parent has loaded what it needs itself.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

_COMMAND = (
    "import gc, json, sys; gc.set_threshold(50_000); sys.path[:] = json.loads(sys.argv[1])['path']; "
    "from arena.tournament.{} import main; main()"
)
KEEPER = _COMMAND.format("keeper")
"""What the interpreter of a keeper runs: it finds modules where its parent does, and looks for no garbage meanwhile."""
WORKER = _COMMAND.format("worker")
"""What the interpreter of a worker runs."""
MESSAGE = 1 << 16
"""Bytes of the longest message from and to a keeper."""


def keeper_settings(control: int) -> str:
    """The argument of :data:`KEEPER`, for a keeper of this process that inherits the socket ``control``."""
    return json.dumps({**_surroundings(), "control": control})


def worker_settings(marker: Path) -> str:
    """The argument of :data:`WORKER`, for a worker of this process with its marker in that file."""
    return json.dumps({**_surroundings(), "marker": str(marker)})


def _surroundings() -> dict[str, Any]:
    """What a process started by this one must know of it."""
    return {"path": [entry or str(Path.cwd()) for entry in sys.path], "parent": os.getpid()}
