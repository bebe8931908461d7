"""The results of many games as arrays, without their moves and boards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sqlalchemy import case, select

from arena.store.schema import games

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlalchemy import Connection

    Array = np.ndarray[Any, np.dtype[np.int64]]

_ROWS = 20_000
"""Games that are read at a time."""
_BLACK_HALF_POINTS = case((games.c.result == "1-0", 2), (games.c.result == "1/2-1/2", 1), else_=0)
_FORFEITED = case((games.c.forfeited_by.is_(None), 0), else_=1)


@dataclass(frozen=True, slots=True)
class GameResults:
    """The results of n games, in no particular order: int64, (n,) each. The index ``games_results`` holds them all."""

    tournament: Array
    black: Array
    """Ids of the players of Black."""
    white: Array
    round: Array
    half_points: Array
    """Half points of Black: 0, 1 or 2."""
    forfeited: Array
    """1 if a side forfeited, else 0."""

    @classmethod
    def read(cls, connection: Connection, tournament_id: int | None) -> Self:
        """Read the games of one tournament, or of all."""
        columns = (games.c[name] for name in ("tournament_id", "black_id", "white_id", "round"))
        query = select(*columns, _BLACK_HALF_POINTS, _FORFEITED)
        if tournament_id is not None:
            query = query.where(games.c.tournament_id == tournament_id)
        result = connection.execution_options(yield_per=_ROWS).execute(query)
        return cls.of(tuple(row) for batch in result.partitions() for row in batch)

    @classmethod
    def of(cls, rows: Iterable[tuple[int, ...]]) -> Self:
        """Return the arrays of rows, each with a value for every field."""
        table = np.fromiter(rows, dtype=(np.int64, len(cls.__slots__)))
        return cls(*np.ascontiguousarray(table.T))

    def pairs(self) -> Iterator[tuple[int, int, int, Array]]:
        """Yield tournament, two players, and the counts of their pairs of games by the first player's half points.

        A pair are the games of rounds 2k and 2k + 1, without a forfeit. The counts are of 0 to 4 half points: (5,). The
        id of the first player is the smaller one.
        """
        played = self.forfeited == 0
        black, white = self.black[played], self.white[played]
        first, second = np.minimum(black, white), np.maximum(black, white)
        half_points = np.where(black == first, self.half_points[played], 2 - self.half_points[played])
        keys = np.stack([self.tournament[played], first, second, self.round[played]])
        order = np.lexsort(keys[::-1])
        keys, half_points = keys[:, order], half_points[order]
        complete = (keys[:3, :-1] == keys[:3, 1:]).all(axis=0)
        complete &= (keys[3, :-1] + 1 == keys[3, 1:]) & (keys[3, :-1] % 2 == 0)
        at = np.flatnonzero(complete)
        if not at.size:
            return
        sums = half_points[at] + half_points[at + 1]
        who, number = np.unique(keys[:3, at], axis=1, return_inverse=True)
        counts = np.bincount(5 * number.ravel() + sums, minlength=5 * who.shape[1]).reshape(-1, 5)
        for (tournament, one, other), match in zip(who.T.tolist(), counts, strict=True):
            yield tournament, one, other, match
