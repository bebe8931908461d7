"""Names of stored models, which a spec may use as weights or as a player.

``lms@500`` is the model of the run ``lms`` after 500 games, ``lms@last`` that of its last checkpoint. ``@`` and at
least six first digits of a hash name any model of the database. A file with such a name is written ``./lms@500``.

A :class:`ModelResolver` finds models by name in a database. A :class:`Resolver` finds none. Both find classes in files
(:mod:`arena.plugins.files`). Functions that parse specs take a resolver as an argument.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import UsageError, shown
from arena.plugins.files import Files

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from sqlalchemy import Connection

    from arena.contracts.model import Model
    from arena.store.models import StoredModel

DEFAULT_DB = "results/arena.sqlite"
"""The database that commands use without ``--db``."""
NAME = re.compile(r"(?P<run>[\w.-]+)@(?P<games>[0-9]{1,18}|last)|@(?P<hash>[0-9a-f]{6,32})")
"""Pattern of the names."""
KEPT = 16
"""Number of models that a resolver keeps in memory."""


class Resolver:
    """Finds what a spec names besides registered classes: classes in files, and no stored models."""

    def __init__(self, files: Files | None = None) -> None:
        """``files``: the files that specs may name; None: only those that they name by their paths."""
        self.files = files or Files()

    def resolve(self, name: str) -> StoredModel:
        """Return the stored model with that name. Raises StoreError if it does not exist."""
        raise UsageError(f"{shown(name)} names a stored model, but no database was given")


class ModelResolver(Resolver):
    """Finds models in a database. It keeps the last models in memory."""

    def __init__(self, database: str | os.PathLike[str], files: Files | None = None) -> None:
        """``database`` is a path or a URL. It is opened only during a look-up. ``files``: see :class:`Resolver`."""
        super().__init__(files)
        self.database = str(database)
        """Path or URL as given by the caller."""
        self._read = lru_cache(KEPT)(self._fetch)

    @property
    def absolute(self) -> str:
        """The URL, or the absolute path, of the database."""
        return self.database if "://" in self.database else str(Path(self.database).absolute())

    def resolve(self, name: str) -> StoredModel:
        """Return the model with that name.

        Raises UsageError if ``name`` does not have the form of a name, and StoreError if the model does not exist.
        """
        from arena.store import models

        parts = NAME.fullmatch(name)
        if parts is None:
            raise UsageError(
                f"{shown(name)} is not the name of a model: write RUN@GAMES, RUN@last, or @ and at least six digits of"
                " a hash"
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
        """Open a connection to the database, and give it with the database's location for messages."""
        from arena.store.database import Database
        from arena.store.decoding import decoding

        database = Database(self.database, write=False)
        try:
            with decoding(database.location), database.engine.connect() as connection:
                yield connection, database.location
        finally:
            database.engine.dispose()


def is_name(text: str) -> bool:
    """Whether ``text`` has the form of a name of a stored model."""
    return NAME.fullmatch(text) is not None
