"""Tournaments on record."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from arena.record import points_of
from arena.store import lookup
from arena.store.schema import games, players, tournament_players, tournaments

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


def outcomes(connection: Connection, tournament_id: int) -> list[tuple[str, str, str, str | None, int]]:
    """Specs of Black and White, result, who forfeited, and round of every game."""
    first, second = players.alias(), players.alias()
    query = (
        select(first.c.spec, second.c.spec, games.c.result, games.c.guilty, games.c.round)
        .join(first, first.c.id == games.c.black_id)
        .join(second, second.c.id == games.c.white_id)
        .where(games.c.tournament_id == tournament_id)
        .order_by(games.c.pairing, games.c.round)
    )
    return [tuple(row) for row in connection.execute(query)]


def shares(connection: Connection, tournament_id: int) -> dict[tuple[str, str], tuple[float, float]]:
    """The share of the points of their meeting that two players made, by their specs in the order of the alphabet; a
    forfeit is a game lost."""
    points: dict[tuple[str, str], list[float]] = {}
    for black, white, result, _, _ in outcomes(connection, tournament_id):
        first, second = sorted((black, white))
        points.setdefault((first, second), []).append(points_of(first, black, result))
    means = {pairing: sum(each) / len(each) for pairing, each in points.items()}
    return {pairing: (mean, 1 - mean) for pairing, mean in means.items()}


def points(connection: Connection, tournament_id: int, player: str) -> dict[int, float | None]:
    """What a player of a tournament of two made of each game by its round; None where somebody forfeited."""
    return {
        number: None if guilty else points_of(player, black, result)
        for black, _, result, guilty, number in outcomes(connection, tournament_id)
    }
