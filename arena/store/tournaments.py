"""Tournaments on record."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from arena.store import lookup
from arena.store.schema import players, tournament_players, tournaments

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class PlayerIdentity:
    """Everything that decides how a player plays."""

    spec: str
    """Canonical spec."""
    name: str
    """Registered name."""
    distribution: str
    """What provides it."""
    version: str
    """Version of the distribution."""
    weights: str | None = None
    """Hash of its weights; None where it has none."""


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament on record."""

    id: int
    name: str
    seed: int
    settings: dict[str, Any]
    """Plain JSON values; whoever made the tournament knows what they mean."""
    players: tuple[PlayerIdentity, ...]
    """In the order of their seats."""
    version: str
    """Version of checkers-arena that made it."""
    started: float
    """Seconds since the epoch."""


def stored_tournament(connection: Connection, which: str | int, location: str) -> StoredTournament:
    """The tournament of that name or id, or ``last``; StoreError where there is none."""
    key = lookup.tournament_id(connection, which, location)
    row = connection.execute(select(tournaments).where(tournaments.c.id == key)).one()
    seats = connection.execute(
        select(*(players.c[field.name] for field in fields(PlayerIdentity)))
        .join(tournament_players)
        .where(tournament_players.c.tournament_id == key)
        .order_by(tournament_players.c.seat)
    )
    return StoredTournament(**row._asdict(), players=tuple(PlayerIdentity(*seat) for seat in seats))
