"""Tournaments on record."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from arena.contracts.record import points_of
from arena.store import lookup
from arena.store.decoding import check_settings
from arena.store.schema import games, player_changes, players, tournament_players, tournaments

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
    code: str | None = None
    """Hash of the code that provides it; None if an older version recorded it."""


@dataclass(frozen=True, slots=True)
class PlayerChange:
    """An accepted change of a player: its identity for all games after a resumption of the tournament."""

    spec: str
    """Of the player."""
    number: int
    """From 1; players that changed at the same time share it."""
    version: str
    """Distribution and version."""
    code: str
    """Hash of the code that provides it."""
    state: dict[str, str]
    """What :func:`arena.plugins.specs.identity` says of it."""


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
    planned: int | None = None
    """Games that it is to have; at most, until the format or a test has decided. None: unknown."""
    changes: tuple[PlayerChange, ...] = ()
    """Of its players, by number."""

    def states(self, number: int | None = None) -> list[dict[str, str]]:
        """The identity of each player after the changes up to a number, or after all, in the order of the seats."""
        accepted = {each.spec: each.state for each in self.changes if number is None or each.number <= number}
        return [accepted.get(each["spec"], each) for each in self.settings["players"]]

    def version_of(self, spec: str, number: int) -> tuple[str, str | None]:
        """Distribution with version, and code, of a player after the changes up to a number."""
        for change in reversed(self.changes):
            if change.spec == spec and change.number <= number:
                return change.version, change.code
        [player] = (each for each in self.players if each.spec == spec)
        return f"{player.distribution} {player.version}", player.code


def stored_tournament(connection: Connection, which: str | int, location: str) -> StoredTournament:
    """The tournament of that name or id, or ``last``; StoreError where there is none."""
    key = lookup.tournament_id(connection, which, location)
    row = connection.execute(select(tournaments).where(tournaments.c.id == key)).one()
    check_settings(row.settings)
    seats = connection.execute(
        select(*(players.c[field.name] for field in fields(PlayerIdentity)))
        .join(tournament_players)
        .where(tournament_players.c.tournament_id == key)
        .order_by(tournament_players.c.position)
    )
    changes = connection.execute(
        select(players.c.spec, *(player_changes.c[name] for name in ("number", "version", "code", "state")))
        .join(players, players.c.id == player_changes.c.player_id)
        .where(player_changes.c.tournament_id == key)
        .order_by(player_changes.c.number)
    )
    return StoredTournament(
        **row._asdict(),
        players=tuple(PlayerIdentity(*seat) for seat in seats),
        changes=tuple(PlayerChange(*change) for change in changes),
    )


def played_versions(connection: Connection, tournament: StoredTournament) -> list[tuple[str, str, str | None, int]]:
    """Spec, distribution with version, code, and number of games of each version of each player that has games: in the
    order of the seats, the oldest version first."""
    ids = lookup.player_ids(connection, tournament.id)
    played: Counter[tuple[int, int]] = Counter()
    for seat in (games.c.black_id, games.c.white_id):
        number = func.coalesce(games.c.changes, 0)
        query = select(seat, number, func.count()).where(games.c.tournament_id == tournament.id).group_by(seat, number)
        for player, changes, count in connection.execute(query):
            played[player, changes] += count
    found: Counter[tuple[str, str, str | None]] = Counter()
    for player in tournament.players:
        for changes in sorted(changes for key, changes in played if key == ids[player.spec]):
            version = tournament.version_of(player.spec, changes)
            found[player.spec, *version] += played[ids[player.spec], changes]
    return [(*version, count) for version, count in found.items()]


def changes_before(connection: Connection, tournament_id: int, game: int) -> int:
    """The number of the last change that was accepted before a game; 0 if there is none."""
    here = (games.c.tournament_id == tournament_id) & (games.c.id == game)
    return connection.scalar(select(games.c.changes).where(here)) or 0


def outcomes(connection: Connection, tournament_id: int) -> list[tuple[str, str, str, str | None, int]]:
    """Specs of Black and White, result, who forfeited, and round of every game."""
    first, second = players.alias(), players.alias()
    query = (
        select(first.c.spec, second.c.spec, games.c.result, games.c.forfeited_by, games.c.round)
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
        number: None if forfeited_by else points_of(player, black, result)
        for black, _, result, forfeited_by, number in outcomes(connection, tournament_id)
    }
