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
from arena.store import pairs
from arena.store.schema import games as played_games
from arena.store.schema import players, tournament_players, tournaments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection

Row = tuple[str, str, int, float, float, float, float, float, float]
"""See :func:`rows`."""


def rows(matches: Mapping[tuple[str, str], MatchCounts]) -> list[Row]:
    """Return one row for each ordered pair of players with at least one complete pair of games without a forfeit.

    ``matches`` has the counts of pairs of games by the half points of the first player.

    A row holds: player, opponent, number of pairs of games, score (0-100), half the width of its 95 % confidence
    interval, Elo difference, half the width of its interval, likelihood of superiority (0-100), and two-sided p-value
    (0-1) of the difference, adjusted by Holm's method for all pairs of players.
    """
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
    names = dict(connection.execute(select(tournaments.c.id, tournaments.c.name)).all())
    specs = dict(connection.execute(select(players.c.id, players.c.spec)).all())
    counts: defaultdict[tuple[int, str, str], list[int]] = defaultdict(lambda: [0] * 5)
    matches: defaultdict[int, dict[tuple[str, str], MatchCounts]] = defaultdict(dict)
    played = pairs.pairs(connection, tournament_id)
    played = played.assign(points=played["first"] + played["second"])[~played["forfeited"]]
    for key, one, other, points, number in zip(
        *(played[name] for name in ("tournament_id", "player_id", "opponent_id", "points", "pairs")), strict=True
    ):
        first, second = sorted((specs[one], specs[other]))
        counts[key, first, second][points if first == specs[one] else 4 - points] += number
    for (key, first, second), match in counts.items():
        matches[key][first, second] = MatchCounts(tuple(match))
    return [(names[key], *row) for key in sorted(matches) for row in rows(dict(sorted(matches[key].items())))]


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
    keys = (games.tournament_id, games.black_id, games.white_id, games.result)
    played = select(*keys, func.count()).where(games.forfeited_by.is_(None)).group_by(*keys)
    if tournament_id is not None:
        entered = entered.where(tournament_players.c.tournament_id == tournament_id)
        played = played.where(games.tournament_id == tournament_id)
    specs = dict(connection.execute(select(players.c.id, players.c.spec)).all())
    results = defaultdict(list)
    for key, black_id, white_id, result, number in connection.execute(played):
        black, white = specs[black_id], specs[white_id]
        results[key].append((black, white, points_of(black, black, result), number))
    table = []
    for (key, name), rows_of_tournament in groupby(connection.execute(entered).all(), key=lambda row: row[:2]):
        bases = connectivity.bases([row[2] for row in rows_of_tournament], results[key])
        table += [(name, player, *astuple(basis)) for player, basis in bases.items()]
    return table


def _padded(match: MatchCounts) -> MatchCounts:
    """Return the counts with one additional pair, half of it won by each player."""
    lost, *between, won = match.counts
    return MatchCounts((lost + 0.5, *between, won + 0.5))
