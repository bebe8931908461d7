"""Forfeits on record, grouped by player, termination and reason."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, column, select, table

from arena.contracts.record import last_line

if TYPE_CHECKING:
    from sqlalchemy import Connection


def rows(connection: Connection, tournament_id: int | None) -> list[tuple[Any, ...]]:
    """Tournament, player, termination, last line of the reason, number of games, and the first of these games.

    A tournament's most frequent ones come first.
    """
    wanted = ("tournament_id", "tournament", "forfeited_by", "termination", "reason", "name", "game")
    query: Select[*tuple[Any, ...]] = select(*[column(name) for name in wanted]).select_from(table("v_games"))
    query = query.where(column("forfeited_by").is_not(None))
    if tournament_id is not None:
        query = query.where(column("tournament_id") == tournament_id)
    query = query.order_by(*[column(name) for name in ("tournament_id", "number", "pairing", "round")])
    games = defaultdict(list)
    for key, *what, reason, name, game in connection.execute(query):
        games[key, *what, last_line(reason)].append(name or str(game))
    by_number = sorted(games.items(), key=lambda group: (group[0][0], -len(group[1])))
    return [(*what, len(names), names[0]) for (_, *what), names in by_number]
