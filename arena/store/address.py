"""Paths and URLs of databases."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from arena.errors import StoreError, message_of, shown

SMALLEST_PAGE = 512
"""Smallest page size of SQLite in bytes. SQLite treats a shorter file as an empty database and overwrites it."""
READ_ONLY = "cannot be written: it or its folder is read-only"
"""What is wrong with a file that this process may not write."""

_SERVERS = ("postgresql", "postgres", "postgresql+psycopg")
"""Schemes of URLs of PostgreSQL databases; all of them mean the last one."""
_MASK = "***"
"""Replaces passwords."""
_PASSWORD = re.compile(r"(?<=://)([^:/?#]*):[^/]*@|(?<=password=)[^&]*")


def url_of(path_or_url: str | os.PathLike[str]) -> URL:
    """Return the URL of a database. Raises StoreError if no database of a supported kind has this path or URL."""
    name = str(path_or_url)
    if "\0" in name:
        raise StoreError(f"{shown(name)} is neither a path nor the URL of a database")
    try:
        url = make_url(name) if "://" in name else URL.create("sqlite", database=name)
    except (ArgumentError, ValueError):  # ValueError: a port that is not a number
        raise StoreError(f"{shown(_masked(name))} is neither a path nor the URL of a database") from None
    if url.drivername in _SERVERS:
        if not url.database:
            raise StoreError(f"{_location(url)} names no database: write postgresql+psycopg://USER@HOST/DATABASE")
        return url.set(drivername=_SERVERS[-1])
    if url.get_backend_name() != "sqlite":
        raise StoreError(
            f"{_location(url)} is not a supported database: name an SQLite file, or write"
            " postgresql+psycopg://USER@HOST/DATABASE"
        )
    if url.database in (None, "", ":memory:"):
        raise StoreError("a database in memory would be lost: name a file")
    return url


def file_of(url: URL) -> Path | None:
    """Return the path of an SQLite file; None for a database of a server."""
    return Path(str(url.database)) if url.get_backend_name() == "sqlite" else None


def location_of(path_or_url: str | os.PathLike[str]) -> str:
    """Return a path, or a URL without its password, for messages. Raises StoreError as :func:`url_of` does."""
    return _location(url_of(path_or_url))


def locate(path_or_url: str | os.PathLike[str]) -> tuple[str, bool]:
    """Return the location of a database (:func:`location_of`), and whether the database exists.

    The databases of a server are taken to exist. Raises StoreError if no database can be at this path or URL.
    """
    url = url_of(path_or_url)
    path = file_of(url)
    if path is None:
        return _location(url), True
    check_file(path, write=True)
    return str(path), path.exists()


def require(path_or_url: str | os.PathLike[str]) -> None:
    """Raise StoreError if there is no database file at a path. URLs of servers are not checked."""
    path = file_of(url_of(path_or_url))
    if path is not None:
        check_file(path, write=False)


def check_distinct(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> None:
    """Raise StoreError if both are the same database, or if ``other`` is a missing file."""
    require(other)
    urls = [url_of(each) for each in (one, other)]
    files = [path for path in map(file_of, urls) if path is not None]
    same = len(files) == 2 and files[0].exists() and files[0].samefile(files[1])
    if same or urls[0] == urls[1]:
        raise StoreError(f"{_location(urls[1])} is the same database as {_location(urls[0])}: name another one")


def check_file(path: Path, write: bool) -> None:
    """Raise StoreError if ``path`` cannot be a database file, or if it can be neither opened nor created.

    The file is not opened: a process that closes a file releases all its POSIX locks on it, including SQLite's.
    """
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder, not a database")
        if path.exists():
            if 0 < path.stat().st_size < SMALLEST_PAGE:
                raise StoreError(f"{path} is not an SQLite database")
            if write and not (may_write(path) and may_write(path.resolve().parent)):
                raise StoreError(f"{path} {READ_ONLY}")
        elif write:
            folder = next(each for each in path.absolute().parents if each.exists())
            if not folder.is_dir():
                raise StoreError(f"{path} cannot be created: {folder} is not a folder")
            if not may_write(folder):
                raise StoreError(f"{path} cannot be created: the folder {folder} is read-only; name another with --db")
        else:
            raise StoreError(f"there is no database {path}: arena tournament and arena train create one")
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {message_of(error)}") from None


def may_write(place: Path) -> bool:
    """Whether this process may write a file, or create files in a folder."""
    rights = os.W_OK | os.X_OK if place.is_dir() else os.W_OK
    return os.access(place, rights, effective_ids=os.access in os.supports_effective_ids)


def _location(url: URL) -> str:
    path = file_of(url)
    return _masked(url.render_as_string(hide_password=True)) if path is None else str(path)


def _masked(text: str) -> str:
    """Return a text with ``***`` instead of the passwords of URLs."""
    return _PASSWORD.sub(lambda found: _MASK if found[1] is None else f"{found[1]}:{_MASK}@", text)
