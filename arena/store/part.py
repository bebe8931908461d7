"""Base class for the parts of a database that is open for writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Connection


class Part:
    """The tables of one subject, such as training runs, in a database that is open for writing."""

    def __init__(self, connect: Callable[[], Connection], location: str) -> None:
        """``connect`` returns the connection. It is called at the first use of the database, not before."""
        self._connect = connect
        self.location = location
        """Path or URL without a password, for messages."""

    @property
    def _connection(self) -> Connection:
        return self._connect()
