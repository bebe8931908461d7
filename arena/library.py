"""Models by the names that a database has for them, wherever a spec names weights or a player.

``lms@500`` is the model of the run ``lms`` after 500 games, ``lms@last`` that of its last checkpoint, and ``@`` with a
hash, or the first six digits of it or more, any model of the database. A file of such a name is written ``./lms@500``.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.store.models import StoredModel

DEFAULT_DB = "results/arena.sqlite"
NAME = re.compile(r"(?P<run>[\w.-]+)@(?P<games>\d+|last)|@(?P<hash>[0-9a-f]{6,32})")
"""What a name looks like."""
_VARIABLE = "ARENA_LIBRARY"
_location = os.environ.get(_VARIABLE, DEFAULT_DB)


def use(path_or_url: str | os.PathLike[str]) -> None:
    """From now on this process, and the workers that it starts, look names up in that database."""
    global _location  # noqa: PLW0603  (as the installed plugins: one for the process)
    _location = str(path_or_url)


def location() -> str:
    """The path or URL of the database that names are looked up in."""
    return _location


def absolute() -> str:
    """As :func:`location`, for a process in another folder."""
    return _location if "://" in _location else str(Path(_location).absolute())


def environment() -> dict[str, str]:
    """The environment variable by which a process that this one starts looks names up in the same database."""
    return {_VARIABLE: absolute()}


def is_name(text: str) -> bool:
    """Whether ``text`` looks like a name of this kind."""
    return NAME.fullmatch(text) is not None


def find(name: str) -> StoredModel:
    """The model of that name; StoreError where there is none, which names those that there are."""
    from arena.store import models
    from arena.store.database import Database

    parts = NAME.fullmatch(name)
    if parts is None:
        raise UsageError(f"{name!r} names no model: write RUN@GAMES, RUN@last, or @ and six or more digits of a hash")
    database = Database(_location, write=False)
    try:
        with database.engine.connect() as connection:
            if parts["hash"]:
                return models.of_hash(connection, parts["hash"], database.location)
            return models.of_run(connection, parts["run"], parts["games"], database.location)
    finally:
        database.engine.dispose()
