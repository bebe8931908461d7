"""Reading tournaments: settings, player identities, results of games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, select

from arena.contracts.rating import RatedGame
from arena.contracts.record import points_of
from arena.store import lookup
from arena.store.decoding import check_settings
from arena.store.schema import games, player_changes, players, ratings, tournament_players, tournaments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Connection

    from arena.contracts.rating import PlayerRating


@dataclass(frozen=True, slots=True)
class PlayerIdentity:
    """Everything that decides how a player plays."""

    spec: str
    """Canonical spec."""
    name: str
    """Registered name."""
    distribution: str
    """Name of the Python distribution that provides it."""
    version: str
    """Version of the distribution."""
    weights: str | None = None
    """Hash of the model that it uses; None if it uses none."""
    code: str | None = None
    """Hash of the source code that provides it; None if an older version recorded the player."""


@dataclass(frozen=True, slots=True)
class PlayerChange:
    """An accepted change of a player: its new identity, from one resumption of the tournament on."""

    spec: str
    """Canonical spec of the player, which does not change."""
    number: int
    """Number of the change, from 1; players changed together share it."""
    version: str
    """New distribution and version, separated by a blank."""
    code: str
    """New hash of the source code that provides the player."""
    state: dict[str, str]
    """New identity, as :func:`arena.plugins.specs.identity` returns it."""


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament on record."""

    id: int
    name: str
    seed: int
    settings: dict[str, Any]
    """JSON values. The store does not interpret them, except ``players``: the identity of each player at the start."""
    players: tuple[PlayerIdentity, ...]
    """Identities at the start, in the order of the list of players."""
    version: str
    """Version of checkers-arena that created the tournament."""
    started: float
    """Time of creation, in seconds since the epoch."""
    planned: int | None = None
    """Number of planned games: an upper bound until the format or a sequential test has decided. None: unknown."""
    changes: tuple[PlayerChange, ...] = ()
    """Accepted changes of players, ordered by number."""

    def states(self, number: int | None = None) -> list[dict[str, str]]:
        """Return the identity of each player, in the order of the list of players.

        Changes up to ``number`` are applied, or all changes if it is None.
        """
        accepted = {each.spec: each.state for each in self.changes if number is None or each.number <= number}
        return [accepted.get(each["spec"], each) for each in self.settings["players"]]

    def version_of(self, spec: str, number: int) -> tuple[str, str | None]:
        """Return a player's version (distribution and version) and code hash after the changes up to ``number``."""
        for change in reversed(self.changes):
            if change.spec == spec and change.number <= number:
                return change.version, change.code
        [player] = (each for each in self.players if each.spec == spec)
        return f"{player.distribution} {player.version}", player.code


def stored_tournament(connection: Connection, which: str | int, location: str) -> StoredTournament:
    """Return the tournament with the name or id ``which``, or the ``last`` one.

    Raises StoreError if it does not exist.
    """
    key = lookup.tournament_id(connection, which, location)
    row = connection.execute(select(tournaments).where(tournaments.c.id == key)).one()
    check_settings(row.settings)
    identities = connection.execute(
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
        players=tuple(PlayerIdentity(*identity) for identity in identities),
        changes=tuple(PlayerChange(*change) for change in changes),
    )


def played_versions(connection: Connection, tournament: StoredTournament) -> list[tuple[str, str, str | None, int]]:
    """Return spec, version, code hash and number of games for each version of each player that played a game.

    Players are in the order of the list of players, the versions of a player from old to new.
    """
    ids = lookup.player_ids(connection, tournament.id)
    played: Counter[tuple[int, int]] = Counter()
    for player_id in (games.c.black_id, games.c.white_id):
        keys: list[ColumnElement[Any]] = [player_id]
        if tournament.changes:  # else the index games_results has all that is counted
            keys.append(func.coalesce(games.c.changes, 0))
        query = select(func.count(), *keys).where(games.c.tournament_id == tournament.id).group_by(*keys)
        for count, key, *number in connection.execute(query):
            played[key, number[0] if number else 0] += count
    versions: Counter[tuple[str, str, str | None]] = Counter()
    for player in tournament.players:
        for changes in sorted(changes for key, changes in played if key == ids[player.spec]):
            version = tournament.version_of(player.spec, changes)
            versions[player.spec, *version] += played[ids[player.spec], changes]
    return [(*version, count) for version, count in versions.items()]


def changes_before(connection: Connection, tournament_id: int, game: int) -> int:
    """Return the number of the last player change accepted before a game; 0 if there is none."""
    selected = (games.c.tournament_id == tournament_id) & (games.c.id == game)
    return connection.scalar(select(games.c.changes).where(selected)) or 0


def outcomes(connection: Connection, tournament_id: int) -> list[tuple[str, str, str, str | None, int]]:
    """Return Black's spec, White's spec, result, forfeiting side (or None) and round of every game.

    Games are ordered by pairing and round.
    """
    black, white = players.alias(), players.alias()
    query = (
        select(black.c.spec, white.c.spec, games.c.result, games.c.forfeited_by, games.c.round)
        .join(black, black.c.id == games.c.black_id)
        .join(white, white.c.id == games.c.white_id)
        .where(games.c.tournament_id == tournament_id)
        .order_by(games.c.pairing, games.c.round)
    )
    return [tuple(row) for row in connection.execute(query)]


def rated_games(connection: Connection, tournament_id: int) -> list[RatedGame]:
    """Return the games that count for ratings, ordered by pairing and round. Forfeits do not count."""
    return [
        RatedGame(black, white, points_of(black, black, result))
        for black, white, result, forfeited_by, _ in outcomes(connection, tournament_id)
        if forfeited_by is None
    ]


def save_ratings(
    connection: Connection, tournament_id: int, system: str, table: Sequence[PlayerRating], place: int
) -> None:
    """Replace the ratings of a rating system in a tournament, in the open transaction.

    ``place`` is the position of the system in the tournament's list of systems; standings show system 0. Players
    without rated games get no row.
    """
    ids = lookup.player_ids(connection, tournament_id)
    replaced = (ratings.c.tournament_id == tournament_id) & (ratings.c.system == system)
    connection.execute(delete(ratings).where(replaced))
    rows = [
        {
            "tournament_id": tournament_id,
            "player_id": ids[row.player],
            "system": system,
            "rating": row.rating,
            "error": row.error,
            "games": row.games,
            "place": place,
        }
        for row in table
        if row.games
    ]
    if rows:
        connection.execute(insert(ratings), rows)


def shares(connection: Connection, tournament_id: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Return the shares (0-1) of the points that the two players of each pairing scored, which add up to 1.

    Keys are the two specs in alphabetical order. A forfeit counts as a loss.
    """
    points: dict[tuple[str, str], list[float]] = {}
    for black, white, result, _, _ in outcomes(connection, tournament_id):
        first, second = sorted((black, white))
        points.setdefault((first, second), []).append(points_of(first, black, result))
    means = {pairing: sum(each) / len(each) for pairing, each in points.items()}
    return {pairing: (mean, 1 - mean) for pairing, mean in means.items()}


def points(connection: Connection, tournament_id: int, player: str) -> dict[int, float | None]:
    """Return the points (1, 0.5 or 0) of a player by round, in a tournament of two players. A forfeit gives None."""
    return {
        number: None if forfeited_by else points_of(player, black, result)
        for black, _, result, forfeited_by, number in outcomes(connection, tournament_id)
    }
