"""Counts of games and of pairs of games by their results, which the database makes without reading the games.

A pair are the games of rounds 2k and 2k + 1 between two players. They share an opening, with the colours swapped. The
index ``games_results`` has everything that is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
from sqlalchemy import and_, case, func, literal_column, or_, select

from arena.store.schema import games

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

PAIRS = ("tournament_id", "player_id", "opponent_id", "first", "second", "forfeited", "pairs")
RESULTS = ("player_id", "opponent_id", "played", "wins", "draws", "losses")


def pairs(connection: Connection, tournament_id: int | None) -> pd.DataFrame:
    """One row per two players and results of a pair of games, of one tournament or of all.

    ``player_id`` is the player that has Black in the first game of the pair. ``first`` and ``second`` are its half
    points in the two games (0, 1 or 2), ``forfeited`` says whether one of them was forfeited, and ``pairs`` is the
    number of such pairs. A pair counts if both games are on record.
    """
    one, other = games.alias("one"), games.alias("other")
    same_pair = and_(
        other.c.tournament_id == one.c.tournament_id,
        other.c.black_id == one.c.white_id,
        other.c.white_id == one.c.black_id,
        other.c.round == one.c.round + 1,
    )
    forfeited = or_(one.c.forfeited_by.is_not(None), other.c.forfeited_by.is_not(None))
    keys = (
        one.c.tournament_id,
        one.c.black_id,
        one.c.white_id,
        one.c.result,
        other.c.result,
        case((forfeited, literal_column("1")), else_=literal_column("0")),
    )
    query = select(*keys, func.count()).join_from(one, other, same_pair).where(one.c.round % 2 == 0).group_by(*keys)
    if tournament_id is not None:
        query = query.where(one.c.tournament_id == tournament_id)
    rows = [
        (key, player, opponent, _BLACK[first], 2 - _BLACK[second], bool(forfeit), number)
        for key, player, opponent, first, second, forfeit, number in connection.execute(query)
    ]
    return pd.DataFrame(rows, columns=list(PAIRS)).astype(
        {name: bool if name == "forfeited" else "int64" for name in PAIRS}
    )


def results(connection: Connection, tournament_id: int) -> pd.DataFrame:
    """One row per ordered pair of players of a tournament: games played, won, drawn and lost by ``player_id``."""
    here = games.c
    keys = (here.tournament_id, here.black_id, here.white_id)
    counts = [func.count(), *(_number_of(here.result == result) for result in _BLACK)]
    query = select(here.black_id, here.white_id, *counts).where(here.tournament_id == tournament_id).group_by(*keys)
    rows = []
    for black, white, played, won, drawn, lost in connection.execute(query):
        rows += [(black, white, played, won, drawn, lost), (white, black, played, lost, drawn, won)]
    frame = pd.DataFrame(rows, columns=list(RESULTS), dtype="int64")
    return frame.groupby(["player_id", "opponent_id"], as_index=False).sum()


_BLACK = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
"""Half points of Black by result."""


def _number_of(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))
