"""A plugin of faulty players.

They play at random. The fault happens at their second choice, unless an option sets another one. Players that
report to the test write to the folder that an environment variable names.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from arena.plugins.hookspecs import hookimpl
from arena_faulty import cheats, code, processes, resources
from arena_faulty.basic import Steady, sleep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from arena.contracts.player import Player

__all__ = ["cheats", "code", "processes", "resources"]


def _descendants(cls: type[Steady]) -> Iterator[type[Steady]]:
    for each in cls.__subclasses__():
        if not each.__name__.startswith("_"):
            yield each
        yield from _descendants(each)


if "ARENA_FAULTY_THREAD" in os.environ:
    print("output of a plugin at import")
    threading.Thread(target=sleep, daemon=True).start()


@hookimpl
def register_players() -> dict[str, type[Player]]:
    classes: list[type[Player]] = [Steady, *_descendants(Steady)]
    return {"".join("-" + c.lower() if c.isupper() else c for c in each.__name__).lstrip("-"): each for each in classes}
