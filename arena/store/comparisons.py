"""How sure it is that one player is better than another, from pairs of games that share an opening.

Few pairs that all went the same way have no variance, and would seem to be beyond doubt. So how sure one can be is
computed as if one pair more had been played, half of it won by each side (ours); what was scored is left as it is.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from arena.record import points_of
from arena.statistics.elo import Match
from arena.statistics.holm import holm

if TYPE_CHECKING:
    from collections.abc import Iterable

Played = tuple[str, str, int, str, str | None]
"""Specs of Black and White, round, result, and who forfeited."""
Row = tuple[str, str, int, float, float, float, float, float, float]


def rows(games: Iterable[Played]) -> list[Row]:
    """One row for each ordered pair of players that played a whole pair of games without a forfeit.

    Player, opponent, pairs of games, score in percent and half the width of its 95 % interval, Elo difference and half
    the width of its interval, likelihood of superiority in percent, and the two-sided p-value of the difference,
    adjusted by Holm's method for all the pairs of players.
    """
    points: defaultdict[tuple[str, str], dict[tuple[int, bool], int]] = defaultdict(dict)
    for black, white, number, result, guilty in games:
        if guilty is None:
            first, second = sorted((black, white))
            points[first, second][number // 2, number % 2 == 1] = round(2 * points_of(first, black, result))
    matches = {players: match for players, each in points.items() if (match := _match(each)).units}
    chances = [_cautious(match).los for match in matches.values()]
    p_values = holm([2 * min(los, 1 - los) for los in chances])
    found = []
    for (players, match), p_value in zip(matches.items(), p_values, strict=True):
        sides = (players, match), (players[::-1], Match(match.counts[::-1]))
        for (player, opponent), seen in sides:
            sure = _cautious(seen)
            numbers = (100 * seen.mean, 100 * sure.score().error, seen.elo().value, sure.elo().error, 100 * sure.los)
            found.append((player, opponent, int(seen.units), *numbers, p_value))
    return sorted(found)


def _match(points: dict[tuple[int, bool], int]) -> Match:
    """The pairs of games of which both were played, by their half points."""
    counts = [0, 0, 0, 0, 0]
    for (pair, second), mine in points.items():
        if second and (pair, False) in points:
            counts[mine + points[pair, False]] += 1
    return Match(counts)


def _cautious(match: Match) -> Match:
    """With one pair more, half of it won by each side."""
    lost, *between, won = match.counts
    return Match((lost + 0.5, *between, won + 0.5))
