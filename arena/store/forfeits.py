"""Counting forfeits by player, termination and reason."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, column, select, table

from arena.contracts.record import last_line

if TYPE_CHECKING:
    from sqlalchemy import Connection


def rows(connection: Connection, tournament_id: int | None) -> list[tuple[Any, ...]]:
    """Return tournament, player, termination, last line of the reason, number of games, and first game of each group.

    Rows are ordered by tournament, then by number of games, largest first.
    """
    wanted = ("tournament_id", "tournament", "forfeited_by", "termination", "reason", "name", "game")
    query: Select[*tuple[Any, ...]] = select(*[column(name) for name in wanted]).select_from(table("v_games"))
    query = query.where(column("forfeited_by").is_not(None))
    if tournament_id is not None:
        query = query.where(column("tournament_id") == tournament_id)
    query = query.order_by(*[column(name) for name in ("tournament_id", "number", "pairing", "round")])
    games = defaultdict(list)
    for key, *group, reason, name, game in connection.execute(query):
        games[key, *group, last_line(reason)].append(name or str(game))
    by_number = sorted(games.items(), key=lambda item: (item[0][0], -len(item[1])))
    return [(*group, len(names), names[0]) for (_, *group), names in by_number]
