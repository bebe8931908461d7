"""Writing the games that a tournament plays (table ``games``), in batches.

Games imported from PDN files are written by :mod:`arena.store.collector`, training runs by :mod:`arena.store.runs`, and
models learned during a tournament by :mod:`arena.store.learning_log`.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import select

from arena.contracts.record import GameRecord
from arena.errors import Unreachable
from arena.interrupts import deferred_interrupt
from arena.store.bulk import BulkInsert
from arena.store.schema import games

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from arena.store.lookup import PlayerIds

BATCH_GAMES = 100
"""Games that are committed together."""
BATCH_SECONDS = 1.0
"""Maximum time between the end of a game and its commit, if :meth:`Recorder.tick` is called often enough."""
SHARED = tuple(name for name in GameRecord.__annotations__ if name in games.c)
"""Names that a field of GameRecord and a column of the table ``games`` share. Both hold the same value."""


class Recorder:
    """Records games of one tournament, up to 100 in a transaction, each within a second.

    It is a context manager. Its exit commits pending games, even after an exception. Recording a game twice raises
    StoreError.
    """

    def __init__(self, connection: Connection, tournament_id: int, players: PlayerIds, changes: int | None) -> None:
        """``changes`` is the number of the last accepted player change; None if there is none."""
        self._connection = connection
        self._insert = BulkInsert(connection, games)
        self._tournament_id = tournament_id
        self._players = players
        self._changes = changes
        self._pending: list[dict[str, Any]] = []
        self._committed = time.monotonic()

    def add_players(self, ids: Mapping[str, int]) -> None:
        """Take games of more players, given by their specs and ids."""
        self._players.update(ids)

    def add(self, record: GameRecord) -> None:
        """Record a game. Raises StoreError if one of its players does not play in the tournament."""
        self._pending.append(self.row(record))
        self.tick()

    def tick(self) -> None:
        """Commit pending games if they are due. Call it regularly while no game ends."""
        if len(self._pending) >= BATCH_GAMES or time.monotonic() - self._committed >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit all pending games. Ctrl-C takes effect after the commit."""
        if self._pending:
            # After an interrupt during the commit, it would be unknown whether the rows were written.
            with deferred_interrupt():
                try:
                    with self._connection.begin():
                        self._insert(self._pending)
                except Unreachable:
                    self._insert_missing()
                self._pending = []
        self._committed = time.monotonic()

    def _insert_missing(self) -> None:
        """Commit the pending games that are not on record. A commit during which the connection was lost may count."""
        ids = [row["id"] for row in self._pending]
        of_them = (games.c.tournament_id == self._tournament_id) & games.c.id.in_(ids)
        with self._connection.begin():
            known = set(self._connection.scalars(select(games.c.id).where(of_them)))
            self._insert([row for row in self._pending if row["id"] not in known])

    def row(self, record: GameRecord) -> dict[str, Any]:
        """Return the row of a game. Raises StoreError if one of its players does not play in the tournament."""
        return {
            "tournament_id": self._tournament_id,
            "id": record.seed,
            "black_id": self._players[record.black],
            "white_id": self._players[record.white],
            **{name: getattr(record, name) for name in SHARED},
            "reason": record.reason and record.reason.replace("\0", "?").encode(errors="replace").decode(),
            "plies": record.plies,
            "moves": record.movetext,
            **record.ply_info._asdict(),
            "changes": self._changes,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()
