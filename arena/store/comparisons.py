"""How sure it is that one player is better than another, from pairs of games that share an opening.

Few pairs that all went the same way have no variance, and would seem to be beyond doubt. So how sure one can be is
computed as if one pair more had been played, half of it won by each side (ours); what was scored is left as it is.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import astuple
from itertools import groupby
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from arena.contracts.record import points_of
from arena.statistics import components as connectivity
from arena.statistics.elo import MatchCounts
from arena.statistics.holm import holm
from arena.store.schema import games as played_games
from arena.store.schema import players, tournament_players, tournaments

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

Played = tuple[str, str, int, str, str | None]
"""Specs of Black and White, round, result, and who forfeited."""
Row = tuple[str, str, int, float, float, float, float, float, float]

_black, _white = players.alias(), players.alias()


def rows(games: Iterable[Played]) -> list[Row]:
    """One row for each ordered pair of players that played a whole pair of games without a forfeit.

    Player, opponent, pairs of games, score in percent and half the width of its 95 % interval, Elo difference and half
    the width of its interval, likelihood of superiority in percent, and the two-sided p-value of the difference,
    adjusted by Holm's method for all the pairs of players.
    """
    points: defaultdict[tuple[str, str], dict[tuple[int, bool], int]] = defaultdict(dict)
    for black, white, number, result, forfeited_by in games:
        if forfeited_by is None:
            first, second = sorted((black, white))
            points[first, second][number // 2, number % 2 == 1] = round(2 * points_of(first, black, result))
    matches = {players: match for players, each in points.items() if (match := _match(each)).units}
    chances = [_cautious(match).los for match in matches.values()]
    p_values = holm([2 * min(los, 1 - los) for los in chances])
    found = []
    for (both, match), p_value in zip(matches.items(), p_values, strict=True):
        sides = (both, match), (both[::-1], MatchCounts(match.counts[::-1]))
        for (player, opponent), seen in sides:
            sure = _cautious(seen)
            numbers = (100 * seen.mean, 100 * sure.score().error, seen.elo().value, sure.elo().error, 100 * sure.los)
            found.append((player, opponent, int(seen.units), *numbers, p_value))
    return sorted(found)


def superiority(connection: Connection, tournament_id: int | None) -> list[tuple[Any, ...]]:
    """:func:`rows` of one tournament or of all, each after the tournament's name."""
    games = played_games.c
    query = (
        select(games.tournament_id, tournaments.c.name, _black.c.spec, _white.c.spec)
        .add_columns(games.round, games.result, games.forfeited_by)
        .join(tournaments, tournaments.c.id == games.tournament_id)
        .join(_black, _black.c.id == games.black_id)
        .join(_white, _white.c.id == games.white_id)
        .order_by(games.tournament_id, games.pairing, games.round)
    )
    if tournament_id is not None:
        query = query.where(games.tournament_id == tournament_id)
    found = connection.execute(query).all()
    parts = [(name, [row[2:] for row in part]) for (_, name), part in groupby(found, key=lambda row: row[:2])]
    return [(name, *row) for name, part in parts for row in rows(part)]


def components(connection: Connection, tournament_id: int | None) -> list[tuple[Any, ...]]:
    """What each rating rests on in one tournament or in all: the tournament's name, the player, and the basis."""
    games = played_games.c
    seated = (
        select(tournament_players.c.tournament_id, tournaments.c.name, players.c.spec)
        .join(tournaments, tournaments.c.id == tournament_players.c.tournament_id)
        .join(players, players.c.id == tournament_players.c.player_id)
        .order_by(tournament_players.c.tournament_id, tournament_players.c.position)
    )
    keys = (games.tournament_id, _black.c.spec, _white.c.spec, games.result)
    played = (
        select(*keys, func.count())
        .select_from(played_games)
        .join(_black, _black.c.id == games.black_id)
        .join(_white, _white.c.id == games.white_id)
        .where(games.forfeited_by.is_(None))
        .group_by(*keys)
    )
    if tournament_id is not None:
        seated = seated.where(tournament_players.c.tournament_id == tournament_id)
        played = played.where(games.tournament_id == tournament_id)
    results = defaultdict(list)
    for key, black, white, result, number in connection.execute(played):
        results[key].append((black, white, points_of(black, black, result), number))
    found = []
    for (key, name), part in groupby(connection.execute(seated).all(), key=lambda seat: seat[:2]):
        bases = connectivity.bases([seat[2] for seat in part], results[key])
        found += [(name, player, *astuple(basis)) for player, basis in bases.items()]
    return found


def _match(points: dict[tuple[int, bool], int]) -> MatchCounts:
    """The pairs of games of which both were played, by their half points."""
    counts = [0, 0, 0, 0, 0]
    for (pair, second), mine in points.items():
        if second and (pair, False) in points:
            counts[mine + points[pair, False]] += 1
    return MatchCounts(counts)


def _cautious(match: MatchCounts) -> MatchCounts:
    """With one pair more, half of it won by each side."""
    lost, *between, won = match.counts
    return MatchCounts((lost + 0.5, *between, won + 0.5))
