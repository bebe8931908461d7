"""Confidence that one player is better than another, and which ratings can be compared.

The unit of the statistics is the pair of games that share an opening. If all of a few pairs have the same result, their
variance is zero and the error would be zero too. Errors, likelihoods and p-values are therefore computed with one
additional pair, half of it won by each player (our own correction). Scores and Elo differences are not changed.
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
"""Black's spec, White's spec, round, result, and forfeiting side or None."""
Row = tuple[str, str, int, float, float, float, float, float, float]
"""See :func:`rows`."""

_black, _white = players.alias(), players.alias()


def rows(games: Iterable[Played]) -> list[Row]:
    """Return one row for each ordered pair of players with at least one complete pair of games without a forfeit.

    A row holds: player, opponent, number of pairs of games, score (0-100), half the width of its 95 % confidence
    interval, Elo difference, half the width of its interval, likelihood of superiority (0-100), and two-sided p-value
    (0-1) of the difference, adjusted by Holm's method for all pairs of players.
    """
    points: defaultdict[tuple[str, str], dict[tuple[int, bool], int]] = defaultdict(dict)
    for black, white, number, result, forfeited_by in games:
        if forfeited_by is None:
            first, second = sorted((black, white))
            points[first, second][number // 2, number % 2 == 1] = round(2 * points_of(first, black, result))
    matches = {players: match for players, each in points.items() if (match := _match(each)).units}
    likelihoods = [_padded(match).los for match in matches.values()]
    p_values = holm([2 * min(los, 1 - los) for los in likelihoods])
    table = []
    for (pair, match), p_value in zip(matches.items(), p_values, strict=True):
        views = (pair, match), (pair[::-1], MatchCounts(match.counts[::-1]))
        for (player, opponent), view in views:
            padded = _padded(view)
            numbers = (
                *(100 * view.mean, 100 * padded.score().error),
                *(view.elo().value, padded.elo().error),
                100 * padded.los,
            )
            table.append((player, opponent, int(view.units), *numbers, p_value))
    return sorted(table)


def superiority(connection: Connection, tournament_id: int | None) -> list[tuple[Any, ...]]:
    """Return :func:`rows` of one tournament or of all tournaments, each row after its tournament's name."""
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
    played = connection.execute(query).all()
    parts = [(name, [row[2:] for row in part]) for (_, name), part in groupby(played, key=lambda row: row[:2])]
    return [(name, *row) for name, part in parts for row in rows(part)]


def components(connection: Connection, tournament_id: int | None) -> list[tuple[Any, ...]]:
    """Return the tournament's name, the player and the basis of its rating, of one tournament or of all.

    The basis is a :class:`arena.statistics.components.Basis`, field by field.
    """
    games = played_games.c
    entered = (
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
        entered = entered.where(tournament_players.c.tournament_id == tournament_id)
        played = played.where(games.tournament_id == tournament_id)
    results = defaultdict(list)
    for key, black, white, result, number in connection.execute(played):
        results[key].append((black, white, points_of(black, black, result), number))
    table = []
    for (key, name), rows_of_tournament in groupby(connection.execute(entered).all(), key=lambda row: row[:2]):
        bases = connectivity.bases([row[2] for row in rows_of_tournament], results[key])
        table += [(name, player, *astuple(basis)) for player, basis in bases.items()]
    return table


def _match(half_points: dict[tuple[int, bool], int]) -> MatchCounts:
    """Count the complete pairs of games by the first player's half points (0-4).

    Keys of ``half_points`` are the number of the pair and whether the game is the second one of the pair.
    """
    counts = [0, 0, 0, 0, 0]
    for (pair, second), earned in half_points.items():
        if second and (pair, False) in half_points:
            counts[earned + half_points[pair, False]] += 1
    return MatchCounts(counts)


def _padded(match: MatchCounts) -> MatchCounts:
    """Return the counts with one additional pair, half of it won by each player."""
    lost, *between, won = match.counts
    return MatchCounts((lost + 0.5, *between, won + 0.5))
