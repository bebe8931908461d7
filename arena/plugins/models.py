"""Stored models by name: a spec may use one as weights or as a player.

``lms@500`` is the model of the run ``lms`` after 500 games, and ``lms@last`` is that of its last checkpoint. ``@`` and
the first six or more digits of a hash name any model of the database. A file with such a name is written ``./lms@500``.

A :class:`Resolver` looks names up. :class:`ModelResolver` does so in a database; it is passed to whatever reads specs.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from arena.errors import UsageError, shown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from arena.contracts.model import Model
    from arena.store.models import StoredModel

DEFAULT_DB = "results/arena.sqlite"
"""The database of commands without ``--db``."""
NAME = re.compile(r"(?P<run>[\w.-]+)@(?P<games>[0-9]{1,18}|last)|@(?P<hash>[0-9a-f]{6,32})")
"""The form of a name."""
KEPT = 16
"""Models that a resolver keeps in memory."""


class Resolver(Protocol):
    """Finds stored models."""

    def resolve(self, name: str) -> StoredModel:
        """The model of that name. Raises StoreError if there is none."""


class ModelResolver:
    """Finds the models of a database, and reads the weights of a model once."""

    def __init__(self, database: str | os.PathLike[str]) -> None:
        """``database``: a path or a URL; it is opened when a name is looked up."""
        self.database = str(database)
        """As it was given."""
        self._read = lru_cache(KEPT)(self._fetch)

    @property
    def absolute(self) -> str:
        """The database as a process in another folder finds it."""
        return self.database if "://" in self.database else str(Path(self.database).absolute())

    def resolve(self, name: str) -> StoredModel:
        """The model of that name. Raises UsageError if it is not a name, and StoreError if there is no such model."""
        from arena.store import models

        parts = NAME.fullmatch(name)
        if parts is None:
            raise UsageError(
                f"{shown(name)} names no model: write RUN@GAMES, RUN@last, or @ and six or more digits of a hash"
            )
        with self._connection() as (connection, location):
            if parts["hash"]:
                return models.of_hash(connection, parts["hash"], location, self._read)
            return models.of_run(connection, parts["run"], parts["games"], location, self._read)

    def _fetch(self, key: str) -> Model:
        from arena.store import models

        with self._connection() as (connection, _):
            return models.read(connection, key)

    @contextmanager
    def _connection(self) -> Iterator[tuple[Connection, str]]:
        """A connection to the database, and the database's name for messages."""
        from arena.store.database import Database
        from arena.store.decoding import decoding

        database = Database(self.database, write=False)
        try:
            with decoding(database.location), database.engine.connect() as connection:
                yield connection, database.location
        finally:
            database.engine.dispose()


def is_name(text: str) -> bool:
    """Whether ``text`` has the form of a stored model's name."""
    return NAME.fullmatch(text) is not None


def resolve(name: str, resolver: Resolver | None) -> StoredModel:
    """The stored model of that name. Raises UsageError if there is no resolver, and what resolvers raise."""
    if resolver is None:
        raise UsageError(f"{shown(name)} names a stored model, but no database is given to look it up in")
    return resolver.resolve(name)
