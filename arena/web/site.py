"""What the requests share: the database, the token, the limits, and results that are kept for the next request."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from arena.store import Results
from arena.store.database import Database
from arena.store.decoding import decoding

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from sqlalchemy import Connection
    from starlette.requests import Request

T = TypeVar("T")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""Names of this machine that only reach this machine."""
_KEPT = 200
"""Maximum number of results that are kept."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of requests."""

    body: int = 256 * 1024
    """Maximum number of bytes of a request's body."""
    query: int = 4096
    """Maximum number of bytes of a query string."""
    listeners: int = 100
    """Maximum number of open event streams."""
    games: int = 12
    """Maximum number of games of people that are open at once. Others wait in the database."""
    analysts: int = 4
    """Maximum number of players that wait for positions to analyse."""
    idle: float = 600.0
    """Seconds without requests after which a game or an analyst is closed."""
    move_seconds: float = 60.0
    """Seconds after which a move of an opponent forfeits the game."""
    search_seconds: float = 30.0
    """Maximum number of seconds of an analysis."""
    memory: int = 1024
    """MB of memory that a player may use."""


@dataclass
class Site:
    """The database that the pages show, and how it is protected. One object serves all requests of a server."""

    database: str
    """Path or URL of the database."""
    token: str | None = None
    """Secret that every request must know; None: none is needed, because only this machine reaches the server."""
    hosts: frozenset[str] = LOOPBACK
    """Names that a request may have for the server, without the port."""
    limits: Limits = field(default_factory=Limits)

    @cached_property
    def results(self) -> Results:
        """The database, open for reading. It may be used by several threads at once."""
        return Results(self.database)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection to the database for reading."""
        with decoding(self.reader.location), self.reader.engine.connect() as connection:
            yield connection

    @cached_property
    def reader(self) -> Database:
        """The database, open for reading without DataFrames."""
        return Database(self.database, write=False)

    def kept(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what ``make`` returns; call it only if the database has changed since the last call with ``key``.

        Of several threads that ask for the same key, one calls ``make``, and the others wait for its result.
        """
        return self._cache.get(key, self.results.change_token, make)

    @cached_property
    def _cache(self) -> _Cache:
        return _Cache()


class _Cache:
    """Results by key, each with the token at which it was made. The results used last are kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: OrderedDict[Hashable, threading.Lock] = OrderedDict()
        self._results: dict[Hashable, tuple[Hashable, Any]] = {}

    def get(self, key: Hashable, token: Callable[[], Hashable], make: Callable[[], T]) -> T:
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
            self._locks.move_to_end(key)
            while len(self._locks) > _KEPT:
                oldest, _ = self._locks.popitem(last=False)
                self._results.pop(oldest, None)
        with lock:
            now = token()
            found = self._results.get(key)
            if found is not None and found[0] == now:
                result: T = found[1]
                return result
            result = make()
            self._results[key] = now, result
            return result


def site_of(request: Request) -> Site:
    """Return the site that a request is for."""
    site: Site = request.app.state.site
    return site
