"""Writing games as they end, many to a transaction."""

from __future__ import annotations

import time
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import insert

from arena.contracts.record import GameRecord
from arena.interrupts import deferred_interrupt
from arena.store.schema import games

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

    from arena.store.lookup import PlayerIds

BATCH_GAMES = 100
BATCH_SECONDS = 1.0
SHARED = tuple(name for name in GameRecord.__annotations__ if name in games.c)
"""What a column of a game and a field of its record have the same name for; both hold the same value."""


class Recorder:
    """Records the games of one tournament, up to 100 in a transaction and none later than a second.

    Used as a context manager; leaving it commits what is pending, whatever the reason for leaving. A game
    that is recorded already is a StoreError.
    """

    def __init__(self, connection: Connection, tournament_id: int, players: PlayerIds, changes: int | None) -> None:
        """``changes``: the number of the last change of players that was accepted; None if there is none."""
        self._connection = connection
        statement = insert(games).inline().compile(dialect=connection.dialect)
        self._insert = str(statement)
        self._values = itemgetter(*statement.positiontup) if statement.positiontup else dict
        self._tournament_id = tournament_id
        self._players = players
        self._changes = changes
        self._pending: list[dict[str, Any]] = []
        self._committed = time.monotonic()

    def add_players(self, ids: Mapping[str, int]) -> None:
        """Take games of more players, given by their specs and ids."""
        self._players.update(ids)

    def add(self, record: GameRecord) -> None:
        """Record a game; raises StoreError where a player of it does not play in the tournament."""
        self._pending.append(self._row(record))
        self.tick()

    def tick(self) -> None:
        """Commit what is due: call it now and then while no game ends."""
        if len(self._pending) >= BATCH_GAMES or time.monotonic() - self._committed >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Commit everything that is pending; Ctrl-C waits until that is done."""
        if self._pending:
            # As the driver takes them: SQLAlchemy's own pass over the rows would cost what SQLite does.
            values = [self._values(row) for row in self._pending]
            # Else nobody would know whether the transaction was committed.
            with deferred_interrupt():
                with self._connection.begin():
                    self._connection.exec_driver_sql(self._insert, values)
                self._pending = []
        self._committed = time.monotonic()

    def _row(self, record: GameRecord) -> dict[str, Any]:
        return {
            "tournament_id": self._tournament_id,
            "id": record.seed,
            "black_id": self._players[record.black],
            "white_id": self._players[record.white],
            **{name: getattr(record, name) for name in SHARED},
            "reason": record.reason and record.reason.encode(errors="replace").decode(),
            "plies": record.plies,
            "moves": record.movetext,
            **record.ply_info._asdict(),
            "changes": self._changes,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.flush()
